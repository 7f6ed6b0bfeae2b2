package io.rtransport.netty.node;

import io.rtransport.core.rail.HealthParameter;
import io.rtransport.core.rail.RailHealthConfig;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Objects;

/**
 * What a caller may say of one message.
 *
 * @param within time in which the message ends in any case; null: {@link
 *     HealthParameter#TRANSACTION_TIMEOUT_MILLIS}
 * @param isRepeatable whether executing it twice does no harm. Such a message is sent again also to
 *     a peer that has restarted, and a GET also if its answer was lost
 * @param source address of this host that the message has to leave by: one that rails to the peer,
 *     or to the routers before it, name as their own; null: any. The call refuses others by an
 *     {@code IllegalArgumentException}. If that interface is down, the message ends
 */
public record CallOptions(Duration within, boolean isRepeatable, InetAddress source) {
  /** None of them. */
  public static final CallOptions USUAL = new CallOptions(null, false, null);

  /** Returns these options with a time: more than 0, and at most the configured maximum. */
  public CallOptions within(Duration time) {
    return new CallOptions(Objects.requireNonNull(time, "within"), isRepeatable, source);
  }

  /** Returns these options for a message that may be executed twice. */
  public CallOptions repeatable() {
    return new CallOptions(within, true, source);
  }

  /** Returns these options for a message that has to leave by an address of this host. */
  public CallOptions from(InetAddress address) {
    return new CallOptions(within, isRepeatable, Objects.requireNonNull(address, "source"));
  }

  /** Returns the time, in nanoseconds, if it is within the limits of {@code config}. */
  long withinNs(RailHealthConfig config) {
    if (within == null) {
      return millis(config, HealthParameter.TRANSACTION_TIMEOUT_MILLIS) * 1_000_000;
    }
    long max = millis(config, HealthParameter.TRANSACTION_TIMEOUT_MAX_MILLIS);
    if (within.isNegative() || within.isZero() || within.compareTo(Duration.ofMillis(max)) > 0) {
      throw new IllegalArgumentException(
          "within=" + within + ", valid: more than 0 and at most " + max + " ms");
    }
    return within.toNanos();
  }

  private static long millis(RailHealthConfig config, HealthParameter parameter) {
    return config.get(parameter);
  }
}
