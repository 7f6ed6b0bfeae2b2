/**
 * What stands around the I/O of others: Netty's I/O handlers and {@code Channel.Unsafe}s with one
 * thing changed.
 */
package io.rtransport.netty.internal.io;
