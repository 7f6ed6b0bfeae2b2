/** Small parts of a channel's write queue that know nothing of it. */
package io.rtransport.netty.internal.write;
