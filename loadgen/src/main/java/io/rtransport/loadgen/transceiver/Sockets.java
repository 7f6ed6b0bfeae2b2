package io.rtransport.loadgen.transceiver;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.rtransport.command.SocketKind;
import io.rtransport.netty.RtChannels;
import java.time.Duration;

/** Event loops for a kind of sockets, and Netty's channel classes of TCP. */
public final class Sockets {
  /** First characters of the names of event loop threads, by which their wake-ups are found. */
  public static final String LOOP_THREAD_PREFIX = "rt-load-io";

  private static final String LEAK_DETECTION_PROPERTY = "io.netty.leakDetection.level";

  private Sockets() {}

  /** Creates event loops that sleep when idle. */
  public static EventLoopGroup loops(SocketKind io, int threads) {
    return loops(threads, io.handlers());
  }

  /** Creates event loops by the settings of a run. */
  static EventLoopGroup loops(TransceiverSettings settings, int threads) {
    IoHandlerFactory handlers = settings.io().handlers();
    if (settings.busyPoll()) {
      handlers = RtChannels.busyPolling(handlers);
    } else if (settings.pollNs() > 0) {
      handlers = RtChannels.busyPolling(handlers, Duration.ofNanos(settings.pollNs()));
    }
    return loops(threads, handlers);
  }

  /**
   * Creates event loops. From here on, buffers are not sampled for leaks, unless the system
   * property of Netty asks for it.
   */
  private static EventLoopGroup loops(int threads, IoHandlerFactory handlers) {
    if (System.getProperty(LEAK_DETECTION_PROPERTY) == null) {
      ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
    }
    return new MultiThreadIoEventLoopGroup(
        threads, new DefaultThreadFactory(LOOP_THREAD_PREFIX, true), handlers);
  }

  static Class<? extends SocketChannel> socketChannel(SocketKind io) {
    return switch (io) {
      case NIO -> NioSocketChannel.class;
      case EPOLL -> EpollSocketChannel.class;
      case IO_URING -> IoUringSocketChannel.class;
    };
  }

  static Class<? extends ServerChannel> serverSocketChannel(SocketKind io) {
    return switch (io) {
      case NIO -> NioServerSocketChannel.class;
      case EPOLL -> EpollServerSocketChannel.class;
      case IO_URING -> IoUringServerSocketChannel.class;
    };
  }
}
