package io.rtransport.loadgen.transceiver;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringDatagramChannel;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.rtransport.loadgen.transceiver.TransceiverSettings.Io;
import io.rtransport.netty.RtChannels;
import java.time.Duration;

/** Event loops and Netty's channel classes for a kind of sockets. */
public final class Sockets {
  /** First characters of the names of event loop threads: by them their wake-ups are found. */
  public static final String LOOP_THREAD_PREFIX = "rt-load-io";

  private static final String LEAK_DETECTION_PROPERTY = "io.netty.leakDetection.level";

  private Sockets() {}

  /** Epoll where it works, else NIO. */
  public static Io best() {
    return Epoll.isAvailable() ? Io.EPOLL : Io.NIO;
  }

  /** Why this machine has not got such sockets, in one line; null if it has. */
  public static String reasonAgainst(Io io) {
    Throwable cause =
        switch (io) {
          case NIO -> null;
          case EPOLL -> Epoll.unavailabilityCause();
          case IO_URING -> IoUring.unavailabilityCause();
        };
    if (cause == null) {
      return null;
    }
    Throwable root = cause;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return String.valueOf(root.getMessage()).lines().findFirst().orElse(root.toString());
  }

  /** New event loops that sleep when there is nothing to do. */
  public static EventLoopGroup loops(Io io, int threads) {
    return loops(threads, handlers(io));
  }

  /** As the settings of a run have them. */
  static EventLoopGroup loops(TransceiverSettings settings, int threads) {
    IoHandlerFactory handlers = handlers(settings.io());
    if (settings.busyPoll()) {
      handlers = RtChannels.busyPolling(handlers);
    } else if (settings.pollNs() > 0) {
      handlers = RtChannels.busyPolling(handlers, Duration.ofNanos(settings.pollNs()));
    }
    return loops(threads, handlers);
  }

  /**
   * Buffers are not sampled for leaks from here on, unless the system property of Netty asks for
   * it.
   */
  private static EventLoopGroup loops(int threads, IoHandlerFactory handlers) {
    if (System.getProperty(LEAK_DETECTION_PROPERTY) == null) {
      ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
    }
    return new MultiThreadIoEventLoopGroup(
        threads, new DefaultThreadFactory(LOOP_THREAD_PREFIX, true), handlers);
  }

  private static IoHandlerFactory handlers(Io io) {
    return switch (io) {
      case NIO -> NioIoHandler.newFactory();
      case EPOLL -> EpollIoHandler.newFactory();
      case IO_URING -> RtChannels.ioUring();
    };
  }

  static Class<? extends DatagramChannel> datagramChannel(Io io) {
    return switch (io) {
      case NIO -> NioDatagramChannel.class;
      case EPOLL -> EpollDatagramChannel.class;
      case IO_URING -> IoUringDatagramChannel.class;
    };
  }

  static Class<? extends SocketChannel> socketChannel(Io io) {
    return switch (io) {
      case NIO -> NioSocketChannel.class;
      case EPOLL -> EpollSocketChannel.class;
      case IO_URING -> IoUringSocketChannel.class;
    };
  }

  static Class<? extends ServerChannel> serverSocketChannel(Io io) {
    return switch (io) {
      case NIO -> NioServerSocketChannel.class;
      case EPOLL -> EpollServerSocketChannel.class;
      case IO_URING -> IoUringServerSocketChannel.class;
    };
  }
}
