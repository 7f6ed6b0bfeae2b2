/**
 * RT as Netty channels: {@link io.rtransport.netty.RtChannels} makes them, {@link
 * io.rtransport.netty.RtChannelOption} has what can be set, and a channel writes and reads {@code
 * ByteBuf}s, {@link io.rtransport.netty.Push}es and {@link io.rtransport.netty.Pull}s. Classes that
 * are not public carry a channel; docs/architecture.md says which part each belongs to.
 */
package io.rtransport.netty;
