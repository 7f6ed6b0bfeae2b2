package io.rtransport.command;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringDatagramChannel;
import io.rtransport.core.text.InvalidValueException;
import io.rtransport.netty.RtChannels;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The sockets that a command's channels stand on: epoll where the machine has it, NIO elsewhere,
 * io_uring where it is asked for.
 */
public enum SocketKind {
  /** Linux epoll: timers of microseconds, sendmmsg, GSO and GRO. */
  EPOLL(EpollDatagramChannel::new, EpollIoHandler::newFactory, Epoll::unavailabilityCause),

  /** Linux io_uring: timers of microseconds, GSO; neither sendmmsg nor GRO. */
  IO_URING(IoUringDatagramChannel::new, RtChannels::ioUring, IoUring::unavailabilityCause),

  /** java.nio: anywhere, with timers of a millisecond's grain. */
  NIO(NioDatagramChannel::new, NioIoHandler::newFactory, () -> null);

  private final Supplier<DatagramChannel> socket;
  private final Supplier<IoHandlerFactory> handlers;
  private final Supplier<Throwable> cause;

  SocketKind(
      Supplier<DatagramChannel> socket,
      Supplier<IoHandlerFactory> handlers,
      Supplier<Throwable> cause) {
    this.socket = socket;
    this.handlers = handlers;
    this.cause = cause;
  }

  /** The best that this machine offers. */
  public static SocketKind best() {
    return EPOLL.reasonAgainst() == null ? EPOLL : NIO;
  }

  /** Those that this machine offers. */
  public static List<SocketKind> available() {
    return Arrays.stream(values()).filter(kind -> kind.reasonAgainst() == null).toList();
  }

  /**
   * The one with that name.
   *
   * @param option by which a person gave it
   * @throws InvalidValueException if there is none, or this machine has not got it
   */
  public static SocketKind named(String option, String name) {
    return named(option, name, SocketKind::reasonAgainst);
  }

  static SocketKind named(String option, String name, Function<SocketKind, String> reasons) {
    for (SocketKind kind : values()) {
      if (kind.text().equals(name)) {
        String reason = reasons.apply(kind);
        if (reason != null) {
          throw new InvalidValueException(
              option, name, valid(reasons) + "; this system has no " + name + ": " + reason);
        }
        return kind;
      }
    }
    throw new InvalidValueException(option, name, valid(reasons));
  }

  /** Asks every kind, which loads its native library: only for a message. */
  private static String valid(Function<SocketKind, String> reasons) {
    return Arrays.stream(values())
        .filter(kind -> reasons.apply(kind) == null)
        .map(SocketKind::text)
        .collect(Collectors.joining(", ", "one of ", ""));
  }

  /** As a person writes it. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Why this machine has not got it, in one line; null if it has. */
  public String reasonAgainst() {
    Throwable root = cause.get();
    if (root == null) {
      return null;
    }
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return String.valueOf(root.getMessage()).lines().findFirst().orElse(root.toString());
  }

  /** Makes a socket, not yet registered. */
  public DatagramChannel newSocket() {
    return socket.get();
  }

  /** The I/O of event loops for such sockets. */
  public IoHandlerFactory handlers() {
    return handlers.get();
  }
}
