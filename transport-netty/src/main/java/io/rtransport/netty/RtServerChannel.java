package io.rtransport.netty;

import io.netty.channel.AbstractServerChannel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.rtransport.core.connection.ConnectionConfig;
import io.rtransport.core.stats.CounterId;
import io.rtransport.netty.port.PortFactory;
import io.rtransport.netty.port.RtPort;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Map;

/**
 * Accepts RT connections on one port: each comes as an {@link RtChannel} through {@code channelRead} once its initiator has confirmed the
 * handshake, so a flood of half-open ones makes no channel. Each {@code read()} takes one, and {@code autoRead} reads again each time; while
 * none is wanted none is held either: what would begin or confirm a handshake is dropped, and its initiator tries again. Closing it stops accepting; its children live on, and the port closes with the
 * last of them.
 */
public final class RtServerChannel extends AbstractServerChannel {
  private final RtChannelConfig config =
      new RtChannelConfig(this, ConnectionConfig.builder(), false);
  private final PortFactory ports;
  private ConnectionConfig handshake;
  private RtPort port;
  private volatile boolean isReadPending;
  private volatile boolean isBound;
  private volatile boolean isClosed;

  RtServerChannel(PortFactory ports) {
    this.ports = ports;
  }

  @Override
  public RtChannelConfig config() {
    return config;
  }

  @Override
  public boolean isOpen() {
    return !isClosed;
  }

  @Override
  public boolean isActive() {
    return isBound && !isClosed;
  }

  @Override
  public InetSocketAddress localAddress() {
    return (InetSocketAddress) super.localAddress();
  }

  /**
   * What this channel's event loop has counted so far, for all of its connections, those that have ended included, and for strangers and
   * handshakes, which belong to none; counters that are 0 are left out. Any thread; the channel must be registered.
   */
  public Future<Map<CounterId, Long>> loopCounters() {
    return eventLoop().submit(() -> StatsReading.nonZero(LoopDriver.of(eventLoop()).counters()));
  }

  /** What is offered to those who connect. */
  ConnectionConfig handshake() {
    return handshake;
  }

  /** A connection is set up: its channel enters the pipeline. */
  void accept(RtChannel child) {
    isReadPending = false;
    pipeline().fireChannelRead(child);
    pipeline().fireChannelReadComplete();
  }

  /** Whether the application wants another connection. */
  boolean isReadPending() {
    return isReadPending;
  }

  /** {@code autoRead} was switched off. Any thread. */
  void clearRead() {
    isReadPending = false;
  }

  void onPortClosed() {
    unsafe().close(unsafe().voidPromise());
  }

  @Override
  protected boolean isCompatible(EventLoop loop) {
    return true; // the port's socket says what it can not run on
  }

  @Override
  protected SocketAddress localAddress0() {
    return port == null ? null : port.localAddress();
  }

  @Override
  protected void doBind(SocketAddress local) throws Exception {
    handshake = config.connectionConfig();
    port =
        ports.open(
            LoopDriver.of(eventLoop()), config.portConfig(), (InetSocketAddress) local, null);
    port.owner(this);
    isBound = true;
  }

  @Override
  protected void doClose() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    if (port != null) {
      port.owner(null);
      port.release();
    }
  }

  @Override
  protected void doBeginRead() {
    isReadPending = true;
  }

  @Override
  protected void doWrite(ChannelOutboundBuffer in) {
    throw new UnsupportedOperationException("a server channel is not written to");
  }
}
