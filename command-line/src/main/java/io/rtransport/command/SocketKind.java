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
 * Kind of sockets for a command's channels: epoll where the machine has it, NIO elsewhere, io_uring
 * on request.
 */
public enum SocketKind {
  /** Linux epoll: timers of microseconds, sendmmsg, GSO and GRO. */
  EPOLL(EpollDatagramChannel::new, EpollIoHandler::newFactory, Epoll::unavailabilityCause),

  /** Linux io_uring: timers of microseconds, GSO; neither sendmmsg nor GRO. */
  IO_URING(IoUringDatagramChannel::new, RtChannels::ioUring, IoUring::unavailabilityCause),

  /** java.nio: on any machine, with timers in steps of a millisecond. */
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

  /** Returns the best kind that this machine offers. */
  public static SocketKind best() {
    return EPOLL.reasonAgainst() == null ? EPOLL : NIO;
  }

  /** Returns the kinds that this machine offers. */
  public static List<SocketKind> available() {
    return Arrays.stream(values()).filter(kind -> kind.reasonAgainst() == null).toList();
  }

  /**
   * Returns the kind with a name.
   *
   * @param option the option's name as typed
   * @throws InvalidValueException if there is none, or this machine does not offer it
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

  /**
   * Returns the valid names. Asks every kind, which loads its native library, so only for a
   * message.
   */
  private static String valid(Function<SocketKind, String> reasons) {
    return Arrays.stream(values())
        .filter(kind -> reasons.apply(kind) == null)
        .map(SocketKind::text)
        .collect(Collectors.joining(", ", "one of ", ""));
  }

  /** Returns the name as a person writes it. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns why this machine does not offer it, in one line; null if it does. */
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

  /** Creates a socket, not yet registered. */
  public DatagramChannel newSocket() {
    return socket.get();
  }

  /** Returns the I/O handlers of event loops for such sockets. */
  public IoHandlerFactory handlers() {
    return handlers.get();
  }
}
