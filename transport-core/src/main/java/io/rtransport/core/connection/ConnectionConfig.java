package io.rtransport.core.connection;

import static io.rtransport.core.parameter.ConnectionParameter.ACK_DELAY_MICROS;
import static io.rtransport.core.parameter.ConnectionParameter.CLOSE_TIMEOUT_MILLIS;
import static io.rtransport.core.parameter.ConnectionParameter.CONGESTED_SOLICIT_THRESHOLD;
import static io.rtransport.core.parameter.ConnectionParameter.CONNECT_TIMEOUT_MILLIS;
import static io.rtransport.core.parameter.ConnectionParameter.DATAGRAM_LENGTH;
import static io.rtransport.core.parameter.ConnectionParameter.DATAGRAM_LENGTH_MAX;
import static io.rtransport.core.parameter.ConnectionParameter.DATA_WINDOW;
import static io.rtransport.core.parameter.ConnectionParameter.FLUSH_WINDOW_MICROS;
import static io.rtransport.core.parameter.ConnectionParameter.HEADER_LENGTH_MAX;
import static io.rtransport.core.parameter.ConnectionParameter.IDLE_TIMEOUT_MILLIS;
import static io.rtransport.core.parameter.ConnectionParameter.INITIAL_CREDIT;
import static io.rtransport.core.parameter.ConnectionParameter.IN_FLIGHT_MAX;
import static io.rtransport.core.parameter.ConnectionParameter.KEEPALIVE;
import static io.rtransport.core.parameter.ConnectionParameter.MESSAGE_LENGTH_MAX;
import static io.rtransport.core.parameter.ConnectionParameter.ORDERED;
import static io.rtransport.core.parameter.ConnectionParameter.OUTSTANDING_MAX;
import static io.rtransport.core.parameter.ConnectionParameter.PATH_MTU_DISCOVERY;
import static io.rtransport.core.parameter.ConnectionParameter.REQUEST_WINDOW;
import static io.rtransport.core.parameter.ConnectionParameter.SOLICIT_THRESHOLD;

import io.rtransport.core.adp.AdpParameters;
import io.rtransport.core.adp.AdpProfile;
import io.rtransport.core.adp.AdpSelection;
import io.rtransport.core.adp.BuiltInProfiles;
import io.rtransport.core.parameter.AgreedParameters;
import io.rtransport.core.parameter.CommonParameters;
import io.rtransport.core.parameter.ConnectionParameter;
import io.rtransport.core.parameter.InitialNumbers;
import io.rtransport.core.stats.Limits;
import java.util.Arrays;
import java.util.Objects;

/**
 * One side's wishes for a connection, fixed before it is set up; what holds afterwards is in {@link
 * AgreedParameters}. Immutable; checked as a whole at {@link Builder#build()}, which throws {@link
 * IllegalArgumentException} naming the field, the value and the valid range. Range and default of
 * each number are {@link ConnectionParameter}'s; docs/reference/options.md has them as a table.
 * Lengths are bytes, times are ns.
 */
public final class ConnectionConfig {
  /** Which congestion control each path of the connection gets. */
  public enum Congestion {
    /**
     * By loss ({@link io.rtransport.core.congestion.Aimd}): additive increase, one multiplicative
     * decrease a round trip.
     */
    AIMD,
    /**
     * By delay ({@link io.rtransport.core.congestion.SwiftWindow}): short queues, losses alone say
     * nothing, windows below one packet.
     */
    SWIFT,
    /** As much as the window allows: for links that are the application's own. */
    FIXED
  }

  /**
   * What a connection takes when nothing is set. Where packets are lost at random it is faster by
   * far than {@link Congestion#AIMD} (docs/performance.md).
   */
  public static final Congestion CONGESTION_DEFAULT = Congestion.SWIFT;

  private final long[] values; // by ordinal of ConnectionParameter
  private final AdpProfile adpProfile;
  private final boolean isAdpProfileSet;
  private final AdpParameters adpParameters;
  private final Congestion congestion;
  private final InitialNumbers initialNumbers;

  private ConnectionConfig(Builder builder) {
    values = builder.values.clone();
    adpProfile = builder.adpProfile;
    isAdpProfileSet = builder.isAdpProfileSet;
    adpParameters = builder.adpParameters;
    congestion = builder.congestion;
    initialNumbers = builder.initialNumbers;
  }

  public static Builder builder() {
    return new Builder();
  }

  /** A builder that starts from these values. */
  public Builder toBuilder() {
    return new Builder(this);
  }

  /**
   * What this side wishes {@code parameter} to be, resolved where it was left unset. A time in ns,
   * a yes or no as 1 or 0.
   */
  public long value(ConnectionParameter parameter) {
    long value = values[parameter.ordinal()];
    if (!parameter.isUnset(value)) {
      return value;
    }
    return switch (parameter) {
      case DATA_WINDOW -> DATA_WINDOW.max();
      case DATAGRAM_LENGTH_MAX ->
          isPathMtuDiscovered() ? DATAGRAM_LENGTH_MAX.max() : datagramLengthBytes();
      default -> throw new IllegalStateException(parameter + " is always set");
    };
  }

  private int number(ConnectionParameter parameter) {
    return (int) value(parameter);
  }

  private boolean flag(ConnectionParameter parameter) {
    return value(parameter) != 0;
  }

  private boolean isSet(ConnectionParameter parameter) {
    return !parameter.isUnset(values[parameter.ordinal()]);
  }

  /** Receive window for request packets. */
  public int requestWindowPackets() {
    return number(REQUEST_WINDOW);
  }

  /**
   * Receive window for data packets. Unset it is the largest, of which a sender uses what its path
   * needs: 1,024 up to a round trip of 0.5 ms, about 1.4 MB in flight, and as many more as the
   * round trip is longer.
   */
  public int dataWindowPackets() {
    return number(DATA_WINDOW);
  }

  /**
   * Whether {@link #dataWindowPackets} was set: then a sender may use all of it on a fast path too.
   */
  public boolean isDataWindowSet() {
    return isSet(DATA_WINDOW);
  }

  /**
   * Whether messages are delivered, and ends handed up, in the order of submission. Only where
   * neither side asks for order is there none: then no message waits for another.
   */
  public boolean isOrdered() {
    return flag(ORDERED);
  }

  /**
   * UDP payload; the default fits Ethernet with room for tunnels. The smaller of both sides' holds.
   */
  public int datagramLengthBytes() {
    return number(DATAGRAM_LENGTH);
  }

  /**
   * The longest UDP payload that this side takes and, with {@link #isPathMtuDiscovered}, sends; at
   * least {@link #datagramLengthBytes}. Unset it is the largest where the path MTU is discovered
   * and {@code datagramLengthBytes} where not.
   */
  public int datagramLengthBytesMax() {
    return number(DATAGRAM_LENGTH_MAX);
  }

  /**
   * Whether {@link #datagramLengthBytesMax} was set: else a socket whose buffers hold less may
   * lower it.
   */
  public boolean isDatagramLengthMaxSet() {
    return isSet(DATAGRAM_LENGTH_MAX);
  }

  /**
   * Whether this side looks for the longest datagram that its way to the peer carries, up to what
   * the peer takes, and falls back when it carries less. Without, every packet of up to {@link
   * #datagramLengthBytes} is taken to pass, for ever.
   */
  public boolean isPathMtuDiscovered() {
    return flag(PATH_MTU_DISCOVERY);
  }

  /** Unsolicited bytes that the peer may send before it has heard from our application. */
  public int initialCreditBytes() {
    return number(INITIAL_CREDIT);
  }

  /** Transactions that either side may have unended. The smaller of both sides' holds. */
  public int outstandingMax() {
    return number(OUTSTANDING_MAX);
  }

  /** Pushes above this ask before they send. The smaller of both sides' holds. */
  public int solicitThresholdBytes() {
    return number(SOLICIT_THRESHOLD);
  }

  /**
   * Pushes above this ask before they send while the path is congested; by default congestion
   * decides nothing. Local: the peer is not told. A path is congested where messages waited for the
   * congestion window at the end of the last transmission, or packets were lost within a round
   * trip. A push that asks takes a round trip more.
   */
  public int congestedThresholdBytes() {
    return number(CONGESTED_SOLICIT_THRESHOLD);
  }

  /** Application header of a request. The smaller of both sides' holds. */
  public int headerLengthMax() {
    return number(HEADER_LENGTH_MAX);
  }

  /** Largest message that we take. */
  public long messageLengthMax() {
    return value(MESSAGE_LENGTH_MAX);
  }

  /**
   * How long we hold an acknowledgement back at the most. The peer adds it to its timers, and the
   * tick of ours ({@link Endpoint#timerTickNs}). Both together are at most 100 ms.
   */
  public long ackDelayNsMax() {
    return value(ACK_DELAY_MICROS);
  }

  /**
   * How long a message may wait for others to share its packet; by default a flush sends at once. A
   * full packet never waits, nor what the peer waits for: an acknowledgement that is due takes
   * along what is there. Tuned for many flushes of small messages, which then cost fewer packets
   * and up to so much latency each.
   */
  public long flushWindowNs() {
    return value(FLUSH_WINDOW_MICROS);
  }

  /**
   * Silence that ends the connection. The smaller of both sides', but at least twice the larger
   * total.
   */
  public long idleTimeoutNs() {
    return value(IDLE_TIMEOUT_MILLIS);
  }

  /** Whether a silent connection is kept alive by a PING at a third of the idle timeout. */
  public boolean isKeepalive() {
    return flag(KEEPALIVE);
  }

  /** How long set-up may take. */
  public long connectTimeoutNs() {
    return value(CONNECT_TIMEOUT_MILLIS);
  }

  /** How long close waits for what is outstanding before it aborts it. */
  public long closeTimeoutNs() {
    return value(CLOSE_TIMEOUT_MILLIS);
  }

  /** Adaptive retransmission profile; default {@code lan}. */
  public AdpProfile adpProfile() {
    return adpProfile;
  }

  /**
   * What a profile refers to of its queue pair, and whether it holds to the letter; default
   * ack_timeout 14, retry_count 7, with the floor.
   */
  public AdpParameters adpParameters() {
    return adpParameters;
  }

  /** Congestion control of what this side sends; default {@link #CONGESTION_DEFAULT}. */
  public Congestion congestion() {
    return congestion;
  }

  /**
   * Bytes of one connection that may be on their way in one direction: what we send and have no
   * acknowledgement of, what we grant ahead, and what credit we give. A bound: memory is used as
   * bandwidth × delay asks for it. 16 MiB are 160 MB/s at 100 ms.
   */
  public int inFlightBytesMax() {
    return number(IN_FLIGHT_MAX);
  }

  /**
   * These wishes with what a register selects, unless they name a profile themselves: then they are
   * what they were, adaptation included.
   *
   * @throws io.rtransport.core.adp.InvalidProfileException if it does not go with the parameters
   */
  public ConnectionConfig following(AdpSelection selection) {
    if (isAdpProfileSet) {
      return this;
    }
    AdpParameters parameters = selection.parameters(adpParameters);
    if (selection.profile().equals(adpProfile) && parameters.equals(adpParameters)) {
      return this;
    }
    Builder builder = toBuilder();
    builder.adpProfile = selection.profile();
    builder.adpParameters = parameters;
    return builder.build();
  }

  /** Whether a profile was named, so that no register is asked. */
  public boolean isAdpProfileSet() {
    return isAdpProfileSet;
  }

  /** Where our numbers start, or null to draw them. */
  public InitialNumbers initialNumbers() {
    return initialNumbers;
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof ConnectionConfig other
        && Arrays.equals(values, other.values)
        && adpProfile.equals(other.adpProfile)
        && isAdpProfileSet == other.isAdpProfileSet
        && adpParameters.equals(other.adpParameters)
        && congestion == other.congestion
        && Objects.equals(initialNumbers, other.initialNumbers);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(values);
  }

  /** Collects wishes; see the accessors of {@link ConnectionConfig} for their meaning. */
  public static final class Builder {
    private final long[] values;
    private AdpProfile adpProfile = BuiltInProfiles.DEFAULT;
    private boolean isAdpProfileSet;
    private AdpParameters adpParameters = AdpParameters.DEFAULT;
    private Congestion congestion = CONGESTION_DEFAULT;
    private InitialNumbers initialNumbers;

    private Builder() {
      values = ConnectionParameter.initialValues();
    }

    private Builder(ConnectionConfig from) {
      values = from.values.clone();
      adpProfile = from.adpProfile;
      isAdpProfileSet = from.isAdpProfileSet;
      adpParameters = from.adpParameters;
      congestion = from.congestion;
      initialNumbers = from.initialNumbers;
    }

    /** A time in ns, a yes or no as 1 or 0; 0 where the parameter may be left unset. */
    public Builder set(ConnectionParameter parameter, long value) {
      values[parameter.ordinal()] = value;
      return this;
    }

    public Builder requestWindowPackets(int value) {
      return set(REQUEST_WINDOW, value);
    }

    /** 0, the default: as many as the path needs. */
    public Builder dataWindowPackets(int value) {
      return set(DATA_WINDOW, value);
    }

    public Builder ordered(boolean value) {
      return set(ORDERED, value ? 1 : 0);
    }

    public Builder datagramLengthBytes(int value) {
      return set(DATAGRAM_LENGTH, value);
    }

    /** 0, the default: see {@link ConnectionConfig#datagramLengthBytesMax}. */
    public Builder datagramLengthBytesMax(int value) {
      return set(DATAGRAM_LENGTH_MAX, value);
    }

    public Builder pathMtuDiscovered(boolean value) {
      return set(PATH_MTU_DISCOVERY, value ? 1 : 0);
    }

    public Builder initialCreditBytes(int value) {
      return set(INITIAL_CREDIT, value);
    }

    public Builder outstandingMax(int value) {
      return set(OUTSTANDING_MAX, value);
    }

    public Builder solicitThresholdBytes(int value) {
      return set(SOLICIT_THRESHOLD, value);
    }

    public Builder congestedThresholdBytes(int value) {
      return set(CONGESTED_SOLICIT_THRESHOLD, value);
    }

    public Builder headerLengthMax(int value) {
      return set(HEADER_LENGTH_MAX, value);
    }

    public Builder messageLengthMax(long value) {
      return set(MESSAGE_LENGTH_MAX, value);
    }

    public Builder ackDelayNsMax(long value) {
      return set(ACK_DELAY_MICROS, value);
    }

    public Builder flushWindowNs(long value) {
      return set(FLUSH_WINDOW_MICROS, value);
    }

    public Builder idleTimeoutNs(long value) {
      return set(IDLE_TIMEOUT_MILLIS, value);
    }

    public Builder keepalive(boolean value) {
      return set(KEEPALIVE, value ? 1 : 0);
    }

    public Builder connectTimeoutNs(long value) {
      return set(CONNECT_TIMEOUT_MILLIS, value);
    }

    public Builder closeTimeoutNs(long value) {
      return set(CLOSE_TIMEOUT_MILLIS, value);
    }

    public Builder inFlightBytesMax(int value) {
      return set(IN_FLIGHT_MAX, value);
    }

    public Builder adpProfile(AdpProfile value) {
      adpProfile = value;
      isAdpProfileSet = true;
      return this;
    }

    public Builder adpParameters(AdpParameters value) {
      adpParameters = value;
      return this;
    }

    public Builder congestion(Congestion value) {
      congestion = value;
      return this;
    }

    public Builder initialNumbers(InitialNumbers value) {
      initialNumbers = value;
      return this;
    }

    /** Checks all fields, alone and against each other. */
    public ConnectionConfig build() {
      for (ConnectionParameter parameter : ConnectionParameter.configured()) {
        parameter.check(values[parameter.ordinal()]);
      }
      if (adpProfile == null || adpParameters == null || congestion == null) {
        throw new IllegalArgumentException(
            "adpProfile, adpParameters and congestion must not be null");
      }
      adpProfile.totalNs(adpParameters); // refuses a total made of an ack_timeout that is off
      ConnectionConfig config = new ConnectionConfig(this);
      config.checkTogether();
      return config;
    }
  }

  private void checkTogether() {
    DATAGRAM_LENGTH_MAX.check(
        datagramLengthBytesMax(), datagramLengthBytes(), DATAGRAM_LENGTH_MAX.max());
    // A header and its record must fit into the smallest packet, beside the fixed headers and what
    // is held back.
    int headerRoom = datagramLengthBytes() - CommonParameters.HEADER_ROOM;
    HEADER_LENGTH_MAX.check(
        headerLengthMax(), HEADER_LENGTH_MAX.min(), Math.min(HEADER_LENGTH_MAX.max(), headerRoom));
    long creditLeast =
        (long) solicitThresholdBytes() + headerLengthMax() + Limits.CREDIT_OVERHEAD_BYTES;
    if (initialCreditBytes() < creditLeast) {
      throw new IllegalArgumentException(
          "initialCreditBytes="
              + initialCreditBytes()
              + " must be at least solicitThresholdBytes + headerLengthMax + 32 = "
              + creditLeast);
    }
  }
}
