package io.rtransport.netty;

import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import io.rtransport.core.connection.CloseCode;
import io.rtransport.core.connection.CloseReason;
import io.rtransport.core.connection.Connection;
import io.rtransport.core.connection.ConnectionConfig;
import io.rtransport.netty.port.PortFactory;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.UnresolvedAddressException;

/**
 * A channel's attempt to connect, from the first CONNECT to the end of its promise: how that is told of success, failure, a close and its own
 * cancellation, once. Confined to the event loop.
 */
final class ConnectAttempt {
  private final RtChannel channel;
  private ChannelPromise promise;

  ConnectAttempt(RtChannel channel) {
    this.channel = channel;
  }

  boolean isPending() {
    return promise != null;
  }

  /**
   * Makes the connection to {@code remote}, from {@code local} or what the system chooses.
   *
   * @throws Exception if there can be none: an address that can not be had, options that do not go together
   */
  void open(PortFactory ports, InetSocketAddress remote, InetSocketAddress local) throws Exception {
    if (isPending()) {
      throw new ConnectionPendingException();
    }
    if (channel.isActive()) {
      throw new AlreadyConnectedException();
    }
    if (remote.isUnresolved()) {
      throw new UnresolvedAddressException();
    }
    ConnectionConfig wishes = channel.config().connectionConfig();
    LoopDriver driver = LoopDriver.of(channel.eventLoop());
    if (channel.port() == null) {
      channel.use(driver, ports.open(driver, channel.config().portConfig(), local, remote));
    } else {
      channel.port().connect(remote);
    }
    Connection connection = driver.endpoint().connect(wishes, remote, driver.nowNs());
    if (connection == null) {
      throw new ConnectException("this event loop has no connection id free");
    }
    channel.begin(connection);
  }

  /** The connection exists, and has its CONNECT to send. */
  void begin(ChannelPromise newPromise) {
    promise = newPromise;
    newPromise.addListener(
        done -> {
          if (done.isCancelled()) {
            promise = null;
            channel.unsafe().close(channel.unsafe().voidPromise());
          }
        });
    channel.link().pumpDue();
  }

  /** The handshake is over. False if nobody wants the connection any more. */
  boolean succeed() {
    ChannelPromise ended = promise;
    promise = null;
    return ended.trySuccess();
  }

  void fail(Exception cause) {
    if (promise != null) {
      ChannelPromise ended = promise;
      promise = null;
      ended.tryFailure(cause);
    }
  }

  /** As a Netty user knows it: a timeout, a refusal, or what else {@code reason} says. */
  void fail(CloseReason reason) {
    SocketAddress to = channel.link().connection().remote();
    if (reason.code() == CloseCode.CONNECT_TIMEOUT.code()) {
      int millis = channel.config().getConnectTimeoutMillis();
      fail(new ConnectTimeoutException("connection timed out after " + millis + " ms: " + to));
    } else if (reason.code() == CloseCode.UNREACHABLE.code()) {
      fail(new ConnectException("Connection refused: " + to));
    } else {
      fail(new ConnectException(reason + ": " + to));
    }
  }
}
