/** Wrappers of Netty's I/O handlers and {@code Channel.Unsafe}s that change one thing each. */
package io.rtransport.netty.internal.io;
