package io.rtransport.core.parameter;

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
import io.rtransport.core.rail.Nid;
import io.rtransport.core.stats.Limits;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * One side's wishes for a connection, fixed before set-up. {@link AgreedParameters} holds what both
 * sides agreed on.
 *
 * <p>Immutable. {@link Builder#build()} checks all values together. It throws {@link
 * IllegalArgumentException} with the field, the value and the valid range. {@link
 * ConnectionParameter} holds the range and default of each number; docs/reference/options.md shows
 * them in a table. Lengths are bytes, times are ns.
 */
public final class ConnectionConfig {
  /** Congestion control of each path of the connection. */
  public enum Congestion {
    /**
     * Congestion control by loss ({@link io.rtransport.core.congestion.Aimd}): additive increase,
     * and one multiplicative decrease per round trip.
     */
    AIMD,
    /**
     * Congestion control by delay ({@link io.rtransport.core.congestion.SwiftWindow}). It keeps
     * queues short. A loss alone changes nothing, and windows may be smaller than one packet.
     */
    SWIFT,
    /** Sends as much as the window allows. For links that only this application uses. */
    FIXED
  }

  /**
   * Default congestion control. On paths with random packet loss it is far faster than {@link
   * Congestion#AIMD} (docs/performance.md).
   */
  public static final Congestion CONGESTION_DEFAULT = Congestion.SWIFT;

  private final long[] values; // indexed by ordinal of ConnectionParameter
  private final AdpProfile adpProfile;
  private final boolean isAdpProfileSet;
  private final AdpParameters adpParameters;
  private final Congestion congestion;
  private final InitialNumbers initialNumbers;
  private final List<Nid> nids;

  private ConnectionConfig(Builder builder) {
    values = builder.values.clone();
    adpProfile = builder.adpProfile;
    isAdpProfileSet = builder.isAdpProfileSet;
    adpParameters = builder.adpParameters;
    congestion = builder.congestion;
    initialNumbers = builder.initialNumbers;
    nids = builder.nids;
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Returns a builder that starts with these values. */
  public Builder toBuilder() {
    return new Builder(this);
  }

  /**
   * Returns this side's wish for {@code parameter}, with a computed value where it was left unset.
   * Times are in ns; yes and no are 1 and 0.
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

  /** Returns the receive window for request packets, packets. */
  public int requestWindowPackets() {
    return number(REQUEST_WINDOW);
  }

  /**
   * Returns the receive window for data packets, packets. When it is unset, it is the largest
   * possible. A sender then uses as much as its path needs. Up to a round trip of 0.5 ms that is
   * 1,024 packets, about 1.4 MB in flight. On a longer path it grows in proportion to the round
   * trip.
   */
  public int dataWindowPackets() {
    return number(DATA_WINDOW);
  }

  /**
   * Returns whether {@link #dataWindowPackets} was set. Then a sender may use all of it on a fast
   * path too.
   */
  public boolean isDataWindowSet() {
    return isSet(DATA_WINDOW);
  }

  /**
   * Returns whether this side asks for order: messages are delivered, and ends are handed up, in
   * the order of submission. A connection is unordered only if neither side asks for order. Then no
   * message waits for another.
   */
  public boolean isOrdered() {
    return flag(ORDERED);
  }

  /**
   * Returns the UDP payload of a packet, bytes. The default fits Ethernet, with room for tunnels.
   * The smaller value of both sides is used.
   */
  public int datagramLengthBytes() {
    return number(DATAGRAM_LENGTH);
  }

  /**
   * Returns the longest UDP payload that this side takes, bytes. With {@link #isPathMtuDiscovered}
   * it is also the longest that this side sends. At least {@link #datagramLengthBytes}. When unset:
   * the largest value with path MTU discovery, {@code datagramLengthBytes} without.
   */
  public int datagramLengthBytesMax() {
    return number(DATAGRAM_LENGTH_MAX);
  }

  /**
   * Returns whether {@link #datagramLengthBytesMax} was set. If not, a socket with smaller buffers
   * may lower it.
   */
  public boolean isDatagramLengthMaxSet() {
    return isSet(DATAGRAM_LENGTH_MAX);
  }

  /**
   * Returns whether this side searches for the longest datagram that the path to the peer carries.
   * It searches up to what the peer takes, and falls back when the path carries less. Without the
   * search, this side assumes that every packet of up to {@link #datagramLengthBytes} passes.
   */
  public boolean isPathMtuDiscovered() {
    return flag(PATH_MTU_DISCOVERY);
  }

  /**
   * Returns the unsolicited bytes that the peer may send before our application has taken anything.
   */
  public int initialCreditBytes() {
    return number(INITIAL_CREDIT);
  }

  /**
   * Returns how many transactions each side may have open. The smaller value of both sides is used.
   */
  public int outstandingMax() {
    return number(OUTSTANDING_MAX);
  }

  /**
   * Returns the length above which a push asks before it sends, bytes. The smaller value of both
   * sides is used.
   */
  public int solicitThresholdBytes() {
    return number(SOLICIT_THRESHOLD);
  }

  /**
   * Returns the length above which a push asks before it sends while the path is congested, bytes.
   * By default congestion changes nothing. Local: the peer is not told.
   *
   * <p>A path is congested in two cases. At the end of the last transmission, messages waited for
   * the congestion window. Or packets were lost within a round trip. A push that asks takes one
   * more round trip.
   */
  public int congestedThresholdBytes() {
    return number(CONGESTED_SOLICIT_THRESHOLD);
  }

  /**
   * Returns the longest application header of a request, bytes. The smaller value of both sides is
   * used.
   */
  public int headerLengthMax() {
    return number(HEADER_LENGTH_MAX);
  }

  /** Returns the largest message that this side takes, bytes. */
  public long messageLengthMax() {
    return value(MESSAGE_LENGTH_MAX);
  }

  /**
   * Returns how long this side holds back an acknowledgement at the most. The peer adds this time
   * and our timer tick ({@link Endpoint#timerTickNs}) to its timers. Both together are at most 100
   * ms.
   */
  public long ackDelayNsMax() {
    return value(ACK_DELAY_MICROS);
  }

  /**
   * Returns how long a message may wait for others to share its packet. By default a flush sends at
   * once.
   *
   * <p>A full packet never waits. Data for which the peer waits never waits either: an
   * acknowledgement that is due takes waiting messages along. Useful for many flushes of small
   * messages: they then take fewer packets, and each may be later by this time.
   */
  public long flushWindowNs() {
    return value(FLUSH_WINDOW_MICROS);
  }

  /**
   * Returns the time of silence that ends the connection. The smaller value of both sides is used,
   * but at least twice the larger ADP total of the two.
   */
  public long idleTimeoutNs() {
    return value(IDLE_TIMEOUT_MILLIS);
  }

  /** Returns whether a PING keeps a silent connection alive, at a third of the idle timeout. */
  public boolean isKeepalive() {
    return flag(KEEPALIVE);
  }

  /** Returns how long set-up may take. */
  public long connectTimeoutNs() {
    return value(CONNECT_TIMEOUT_MILLIS);
  }

  /** Returns how long close waits for open transactions before it aborts them. */
  public long closeTimeoutNs() {
    return value(CLOSE_TIMEOUT_MILLIS);
  }

  /** Returns the adaptive retransmission profile; default {@code lan}. */
  public AdpProfile adpProfile() {
    return adpProfile;
  }

  /**
   * Returns the queue pair values that a profile refers to, and whether the profile is followed
   * exactly. Default: ack_timeout 14, retry_count 7, with the floor.
   */
  public AdpParameters adpParameters() {
    return adpParameters;
  }

  /**
   * Returns the congestion control of what this side sends; default {@link #CONGESTION_DEFAULT}.
   */
  public Congestion congestion() {
    return congestion;
  }

  /**
   * Returns how many bytes of one connection may be on their way in one direction. It bounds three
   * things: bytes that we sent and that are not acknowledged, bytes that we grant ahead, and credit
   * that we give. It is only a bound: memory use follows bandwidth × delay. 16 MiB carry 160 MB/s
   * at 100 ms.
   */
  public int inFlightBytesMax() {
    return number(IN_FLIGHT_MAX);
  }

  /**
   * Returns these wishes with the profile and parameters that a register selects. Wishes that name
   * a profile themselves stay unchanged, adaptation included.
   *
   * @throws io.rtransport.core.adp.InvalidProfileException if the profile does not fit the
   *     parameters
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

  /** Returns whether a profile was named. Then no register is asked. */
  public boolean isAdpProfileSet() {
    return isAdpProfileSet;
  }

  /** Returns the first sequence numbers of this side, or null to draw them at random. */
  public InitialNumbers initialNumbers() {
    return initialNumbers;
  }

  /** Returns the addresses of this side that initiators are told. They may use all of them. */
  public List<Nid> nids() {
    return nids;
  }

  /** Returns the same, as they go to the initiator. */
  @Override
  public boolean equals(Object o) {
    return o instanceof ConnectionConfig other
        && Arrays.equals(values, other.values)
        && adpProfile.equals(other.adpProfile)
        && isAdpProfileSet == other.isAdpProfileSet
        && adpParameters.equals(other.adpParameters)
        && congestion == other.congestion
        && Objects.equals(initialNumbers, other.initialNumbers)
        && nids.equals(other.nids);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(values);
  }

  /** Builder of the wishes. The accessors of {@link ConnectionConfig} explain each value. */
  public static final class Builder {
    private final long[] values;
    private AdpProfile adpProfile = BuiltInProfiles.DEFAULT;
    private boolean isAdpProfileSet;
    private AdpParameters adpParameters = AdpParameters.DEFAULT;
    private Congestion congestion = CONGESTION_DEFAULT;
    private InitialNumbers initialNumbers;
    private List<Nid> nids = List.of();

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
      nids = from.nids;
    }

    /**
     * Sets one parameter. Times are in ns; yes and no are 1 and 0. 0 leaves a parameter unset where
     * that is allowed.
     */
    public Builder set(ConnectionParameter parameter, long value) {
      values[parameter.ordinal()] = value;
      return this;
    }

    public Builder requestWindowPackets(int value) {
      return set(REQUEST_WINDOW, value);
    }

    /** Sets the data window; 0, the default: as many packets as the path needs. */
    public Builder dataWindowPackets(int value) {
      return set(DATA_WINDOW, value);
    }

    public Builder ordered(boolean value) {
      return set(ORDERED, value ? 1 : 0);
    }

    public Builder datagramLengthBytes(int value) {
      return set(DATAGRAM_LENGTH, value);
    }

    /**
     * Sets the longest datagram; 0, the default: see {@link
     * ConnectionConfig#datagramLengthBytesMax}.
     */
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

    /**
     * Sets the addresses of a target that its initiators are told; none by default. Server channels
     * of transport-netty set it themselves, to the addresses at which they listen.
     *
     * @param value up to {@link Limits#LOCAL_NIS_MAX} different ones
     */
    public Builder nids(List<Nid> value) {
      nids = List.copyOf(value);
      return this;
    }

    /** Checks all fields, alone and against each other, and returns the config. */
    public ConnectionConfig build() {
      for (ConnectionParameter parameter : ConnectionParameter.configured()) {
        parameter.check(values[parameter.ordinal()]);
      }
      if (adpProfile == null || adpParameters == null || congestion == null) {
        throw new IllegalArgumentException(
            "adpProfile, adpParameters and congestion must not be null");
      }
      if (nids.size() > Limits.LOCAL_NIS_MAX || Set.copyOf(nids).size() < nids.size()) {
        throw new IllegalArgumentException(
            "nids=" + nids + ", valid: 0.." + Limits.LOCAL_NIS_MAX + " different ones");
      }
      adpProfile.totalNs(adpParameters); // throws where the total needs an ack_timeout that is off
      ConnectionConfig config = new ConnectionConfig(this);
      config.checkTogether();
      return config;
    }
  }

  private void checkTogether() {
    DATAGRAM_LENGTH_MAX.check(
        datagramLengthBytesMax(), datagramLengthBytes(), DATAGRAM_LENGTH_MAX.max());
    // An application header and its record must fit into the smallest packet, beside the fixed
    // headers and the reserved bytes.
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
