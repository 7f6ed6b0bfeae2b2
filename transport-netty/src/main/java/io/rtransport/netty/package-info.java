/**
 * RT as Netty channels. {@link io.rtransport.netty.RtChannels} makes the channels, and {@link
 * io.rtransport.netty.RtChannelOption} has their options. A channel writes and reads {@code
 * ByteBuf}s, {@link io.rtransport.netty.Push}es and {@link io.rtransport.netty.Pull}s. The classes
 * that are not public implement a channel; docs/architecture.md says which part each belongs to.
 */
package io.rtransport.netty;
