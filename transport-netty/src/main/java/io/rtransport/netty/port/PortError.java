package io.rtransport.netty.port;

import io.netty.channel.unix.Errors.NativeIoException;
import io.rtransport.core.outcome.SendFailure;
import java.net.BindException;
import java.net.NoRouteToHostException;
import java.net.PortUnreachableException;
import java.nio.channels.ClosedChannelException;
import java.util.Locale;

/**
 * What the system says when it does not send a datagram, in one form for all kinds of sockets.
 * Native sockets give the system's number, those of the JDK an exception or the system's words. On
 * a connected socket the system also reports here what the network has answered to an earlier
 * datagram (ICMP), which anybody can forge.
 *
 * <p>The numbers are Linux's. On other systems the JDK's sockets have the same words.
 */
public enum PortError {
  /** ECONNREFUSED: the peer's host says that nobody listens there. */
  NO_LISTENER(SendFailure.NO_LISTENER, false, "connection refused", 111),
  /** ENETUNREACH: no route leads there, or a router says so. */
  NETWORK_UNREACHABLE(SendFailure.NO_WAY, true, "network is unreachable", 101),
  /** EHOSTUNREACH, EHOSTDOWN: the last network on the way does not find the host. */
  HOST_UNREACHABLE(SendFailure.NO_WAY, true, "no route to host", 113, 112),
  /** EADDRNOTAVAIL: our own address is not there. */
  ADDRESS_GONE(SendFailure.NO_WAY, true, "cannot assign requested address", 99),
  /** ENETDOWN, ENODEV: our own device is down or gone. */
  DEVICE_DOWN(SendFailure.NO_WAY, true, "network is down", 100, 19),
  /** EINVAL: also what a route says that drops everything. */
  INVALID(SendFailure.REFUSED, true, "invalid argument", 22),
  /** EPERM, EACCES: a rule of this host forbids it. */
  FORBIDDEN(SendFailure.REFUSED, true, "permission denied", 13, 1),
  /** ENOBUFS, ENOMEM: the system has no memory for it. */
  NO_BUFFERS(SendFailure.REFUSED, false, "no buffer space available", 105, 12),
  /** EMSGSIZE: longer than the way allows. The search for the path's MTU handles it. */
  TOO_LONG(null, false, "message too long", 90),
  /** The socket is closed. */
  CLOSED(null, false, "closed"),
  /** Anything else. */
  OTHER(null, false, "");

  private final SendFailure failure;
  private final boolean mayBeOurs;
  private final String words;
  private final int[] numbers;

  PortError(SendFailure failure, boolean mayBeOurs, String words, int... numbers) {
    this.failure = failure;
    this.mayBeOurs = mayBeOurs;
    this.words = words;
    this.numbers = numbers;
  }

  /** Returns what a connection is told; null: nothing. */
  public SendFailure failure() {
    return failure;
  }

  /** Returns whether an interface of this host may be the reason. */
  public boolean mayBeOurs() {
    return mayBeOurs;
  }

  /** Returns whether the routes of this host have no way, which may change. */
  public boolean isOfRoute() {
    return mayBeOurs && this != ADDRESS_GONE;
  }

  /** Returns what {@code cause}, of a send that failed, says. */
  public static PortError of(Throwable cause) {
    if (cause instanceof ClosedChannelException) {
      return CLOSED;
    }
    if (cause instanceof PortUnreachableException) {
      return NO_LISTENER;
    }
    if (cause instanceof NativeIoException e) {
      return ofNumber(-e.expectedErr());
    }
    if (cause instanceof NoRouteToHostException) {
      return HOST_UNREACHABLE;
    }
    return ofWords(String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT), cause);
  }

  private static PortError ofNumber(int number) {
    for (PortError error : values()) {
      for (int each : error.numbers) {
        if (each == number) {
          return error;
        }
      }
    }
    return OTHER;
  }

  private static PortError ofWords(String message, Throwable cause) {
    for (PortError error : values()) {
      if (error.numbers.length > 0 && message.contains(error.words)) {
        return error;
      }
    }
    if (message.contains("operation not permitted")) {
      return FORBIDDEN;
    }
    return cause instanceof BindException ? ADDRESS_GONE : OTHER;
  }
}
