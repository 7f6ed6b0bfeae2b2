/** Small parts of a channel's write queue that do not know the queue. */
package io.rtransport.netty.internal.write;
