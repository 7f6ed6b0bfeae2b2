package io.rtransport.core.connection;

import io.rtransport.core.adp.AdpParameters;
import io.rtransport.core.adp.AdpProfile;
import io.rtransport.core.adp.AdpSelection;
import io.rtransport.core.adp.BuiltInProfiles;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.transaction.PushSupplier;
import java.util.concurrent.TimeUnit;

/**
 * One side's wishes for a connection, fixed before it is set up; what holds afterwards is in {@link
 * AgreedParameters}. Immutable; checked as a whole at {@link Builder#build()}, which throws {@link
 * IllegalArgumentException} naming the field, the value and the valid range.
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

  /** The longest {@link #flushWindowNs}. */
  public static final long FLUSH_WINDOW_NS_MAX = TimeUnit.MILLISECONDS.toNanos(10);

  private final Builder b;

  private ConnectionConfig(Builder builder) {
    b = builder;
  }

  public static Builder builder() {
    return new Builder();
  }

  /** A builder that starts from these values. */
  public Builder toBuilder() {
    return new Builder(b);
  }

  /** Receive window for request packets, 64..16,384, a power of two; default 256. */
  public int requestWindowPackets() {
    return b.requestWindowPackets;
  }

  /**
   * Receive window for data packets, 64..16,384, a power of two. By default 16,384, of which a
   * sender uses what its path needs: 1,024 up to a round trip of 0.5 ms, about 1.4 MB in flight,
   * and as many more as the round trip is longer.
   */
  public int dataWindowPackets() {
    return isDataWindowSet() ? b.dataWindowPackets : Limits.WINDOW_PACKETS_MAX;
  }

  /**
   * Whether {@link #dataWindowPackets} was set: then a sender may use all of it on a fast path too.
   */
  public boolean isDataWindowSet() {
    return b.dataWindowPackets != 0;
  }

  /**
   * Whether messages are delivered, and ends handed up, in the order of submission; default yes.
   * Only where neither side asks for order is there none: then no message waits for another.
   */
  public boolean isOrdered() {
    return b.ordered;
  }

  /**
   * UDP payload, 576..8,192 bytes; default 1,408, which fits Ethernet with room for tunnels. The
   * smaller of both sides' holds.
   */
  public int datagramLengthBytes() {
    return b.datagramLengthBytes;
  }

  /**
   * The longest UDP payload that this side takes and, with {@link #isPathMtuDiscovered}, sends:
   * {@link #datagramLengthBytes}..65,507; 0, the default, stands for 65,507 where the path MTU is
   * discovered and for {@code datagramLengthBytes} where not.
   */
  public int datagramLengthBytesMax() {
    if (b.datagramLengthBytesMax != 0) {
      return b.datagramLengthBytesMax;
    }
    return b.pathMtuDiscovered ? Limits.PACKET_LENGTH_MAX : b.datagramLengthBytes;
  }

  /**
   * Whether {@link #datagramLengthBytesMax} was set: else a socket whose buffers hold less may
   * lower it.
   */
  public boolean isDatagramLengthMaxSet() {
    return b.datagramLengthBytesMax != 0;
  }

  /**
   * Whether this side looks for the longest datagram that its way to the peer carries, up to what
   * the peer takes, and falls back when it carries less; default no. Without, every packet of up to
   * {@link #datagramLengthBytes} is taken to pass, for ever.
   */
  public boolean isPathMtuDiscovered() {
    return b.pathMtuDiscovered;
  }

  /**
   * Unsolicited bytes that the peer may send before it has heard from our application, 1 KiB..2
   * MiB; default 16 KiB.
   */
  public int initialCreditBytes() {
    return b.initialCreditBytes;
  }

  /**
   * Transactions that either side may have unended, 16..16,384; default 16,384. The smaller of both
   * sides' holds.
   */
  public int outstandingMax() {
    return b.outstandingMax;
  }

  /**
   * Pushes above this ask before they send, 0..1 MiB; default 8 KiB. The smaller of both sides'
   * holds.
   */
  public int solicitThresholdBytes() {
    return b.solicitThresholdBytes;
  }

  /**
   * Pushes above this ask before they send while the path is congested, 256 bytes..1 MiB; default 1
   * MiB: congestion decides nothing. Local: the peer is not told. A path is congested where
   * messages waited for the congestion window at the end of the last transmission, or packets were
   * lost within a round trip. A push that asks takes a round trip more.
   */
  public int congestedThresholdBytes() {
    return b.congestedThresholdBytes;
  }

  /**
   * Application header of a request, 0..512 bytes; default 512. The smaller of both sides' holds.
   */
  public int headerLengthMax() {
    return b.headerLengthMax;
  }

  /** Largest message that we take, 1..2^32-1 bytes; default 1 GiB. */
  public long messageLengthMax() {
    return b.messageLengthMax;
  }

  /**
   * How long we hold an acknowledgement back at the most, 0..100 ms in ns; default 1 ms. The peer
   * adds it to its timers, and the tick of ours ({@link Endpoint#timerTickNs}). Both together are
   * at most 100 ms.
   */
  public long ackDelayNsMax() {
    return b.ackDelayNsMax;
  }

  /**
   * How long a message may wait for others to share its packet, 0..10 ms in ns; default 0: a flush
   * sends at once. A full packet never waits, nor what the peer waits for: an acknowledgement that
   * is due takes along what is there. Tuned for many flushes of small messages, which then cost
   * fewer packets and up to so much latency each.
   */
  public long flushWindowNs() {
    return b.flushWindowNs;
  }

  /**
   * Silence that ends the connection, 1 s..1 day in ns; default 5 min. The smaller of both sides',
   * but at least twice the larger total.
   */
  public long idleTimeoutNs() {
    return b.idleTimeoutNs;
  }

  /**
   * Whether a silent connection is kept alive by a PING at a third of the idle timeout; default no.
   */
  public boolean isKeepalive() {
    return b.keepalive;
  }

  /** How long set-up may take, 100 ms..5 min in ns; default 5 s. */
  public long connectTimeoutNs() {
    return b.connectTimeoutNs;
  }

  /**
   * How long close waits for what is outstanding before it aborts it, 0..5 min in ns; default 5 s.
   */
  public long closeTimeoutNs() {
    return b.closeTimeoutNs;
  }

  /** Adaptive retransmission profile; default {@code lan}. */
  public AdpProfile adpProfile() {
    return b.adpProfile;
  }

  /**
   * What a profile refers to of its queue pair, and whether it holds to the letter; default
   * ack_timeout 14, retry_count 7, with the floor.
   */
  public AdpParameters adpParameters() {
    return b.adpParameters;
  }

  /** Congestion control of what this side sends; default {@link #CONGESTION_DEFAULT}. */
  public Congestion congestion() {
    return b.congestion;
  }

  /**
   * Bytes of one connection that may be on their way in one direction, 2..64 MiB; default 16 MiB:
   * what we send and have no acknowledgement of, what we grant ahead, and what credit we give. A
   * bound: memory is used as bandwidth × delay asks for it. 16 MiB are 160 MB/s at 100 ms.
   */
  public int inFlightBytesMax() {
    return b.inFlightBytesMax;
  }

  /**
   * These wishes with what a register selects, unless they name a profile themselves: then they are
   * what they were, adaptation included.
   *
   * @throws io.rtransport.core.adp.InvalidProfileException if it does not go with the parameters
   */
  public ConnectionConfig following(AdpSelection selection) {
    if (b.isAdpProfileSet) {
      return this;
    }
    AdpParameters parameters = selection.parameters(b.adpParameters);
    if (selection.profile().equals(b.adpProfile) && parameters.equals(b.adpParameters)) {
      return this;
    }
    Builder builder = toBuilder();
    builder.adpProfile = selection.profile();
    builder.adpParameters = parameters;
    return builder.build();
  }

  /** Whether a profile was named, so that no register is asked. */
  public boolean isAdpProfileSet() {
    return b.isAdpProfileSet;
  }

  /** Where our numbers start, or null to draw them. */
  public InitialNumbers initialNumbers() {
    return b.initialNumbers;
  }

  /** Collects wishes; see the accessors of {@link ConnectionConfig} for meaning and range. */
  public static final class Builder {
    private int requestWindowPackets = 256;
    private int dataWindowPackets;
    private boolean ordered = true;
    private int datagramLengthBytes = 1_408;
    private int datagramLengthBytesMax;
    private boolean pathMtuDiscovered;
    private int initialCreditBytes = 16 << 10;
    private int outstandingMax = Limits.OUTSTANDING_MAX;
    private int solicitThresholdBytes = 8 << 10;
    private int congestedThresholdBytes = 1 << 20;
    private int headerLengthMax = Limits.HEADER_LENGTH_MAX;
    private long messageLengthMax = 1L << 30;
    private long ackDelayNsMax = TimeUnit.MILLISECONDS.toNanos(1);
    private long flushWindowNs;
    private long idleTimeoutNs = TimeUnit.MINUTES.toNanos(5);
    private boolean keepalive;
    private long connectTimeoutNs = TimeUnit.SECONDS.toNanos(5);
    private long closeTimeoutNs = TimeUnit.SECONDS.toNanos(5);
    private AdpProfile adpProfile = BuiltInProfiles.DEFAULT;
    private boolean isAdpProfileSet;
    private AdpParameters adpParameters = AdpParameters.DEFAULT;
    private Congestion congestion = CONGESTION_DEFAULT;
    private int inFlightBytesMax = Limits.IN_FLIGHT_BYTES_DEFAULT;
    private InitialNumbers initialNumbers;

    private Builder() {}

    private Builder(Builder from) {
      requestWindowPackets = from.requestWindowPackets;
      dataWindowPackets = from.dataWindowPackets;
      ordered = from.ordered;
      datagramLengthBytes = from.datagramLengthBytes;
      datagramLengthBytesMax = from.datagramLengthBytesMax;
      pathMtuDiscovered = from.pathMtuDiscovered;
      initialCreditBytes = from.initialCreditBytes;
      outstandingMax = from.outstandingMax;
      solicitThresholdBytes = from.solicitThresholdBytes;
      congestedThresholdBytes = from.congestedThresholdBytes;
      headerLengthMax = from.headerLengthMax;
      messageLengthMax = from.messageLengthMax;
      ackDelayNsMax = from.ackDelayNsMax;
      flushWindowNs = from.flushWindowNs;
      idleTimeoutNs = from.idleTimeoutNs;
      keepalive = from.keepalive;
      connectTimeoutNs = from.connectTimeoutNs;
      closeTimeoutNs = from.closeTimeoutNs;
      adpProfile = from.adpProfile;
      isAdpProfileSet = from.isAdpProfileSet;
      adpParameters = from.adpParameters;
      congestion = from.congestion;
      inFlightBytesMax = from.inFlightBytesMax;
      initialNumbers = from.initialNumbers;
    }

    public Builder requestWindowPackets(int value) {
      requestWindowPackets = value;
      return this;
    }

    /** 0, the default: as many as the path needs. */
    public Builder dataWindowPackets(int value) {
      dataWindowPackets = value;
      return this;
    }

    public Builder ordered(boolean value) {
      ordered = value;
      return this;
    }

    public Builder datagramLengthBytes(int value) {
      datagramLengthBytes = value;
      return this;
    }

    public Builder datagramLengthBytesMax(int value) {
      datagramLengthBytesMax = value;
      return this;
    }

    public Builder pathMtuDiscovered(boolean value) {
      pathMtuDiscovered = value;
      return this;
    }

    public Builder initialCreditBytes(int value) {
      initialCreditBytes = value;
      return this;
    }

    public Builder outstandingMax(int value) {
      outstandingMax = value;
      return this;
    }

    public Builder solicitThresholdBytes(int value) {
      solicitThresholdBytes = value;
      return this;
    }

    public Builder congestedThresholdBytes(int value) {
      congestedThresholdBytes = value;
      return this;
    }

    public Builder headerLengthMax(int value) {
      headerLengthMax = value;
      return this;
    }

    public Builder messageLengthMax(long value) {
      messageLengthMax = value;
      return this;
    }

    public Builder ackDelayNsMax(long value) {
      ackDelayNsMax = value;
      return this;
    }

    public Builder flushWindowNs(long value) {
      flushWindowNs = value;
      return this;
    }

    public Builder idleTimeoutNs(long value) {
      idleTimeoutNs = value;
      return this;
    }

    public Builder keepalive(boolean value) {
      keepalive = value;
      return this;
    }

    public Builder connectTimeoutNs(long value) {
      connectTimeoutNs = value;
      return this;
    }

    public Builder closeTimeoutNs(long value) {
      closeTimeoutNs = value;
      return this;
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

    public Builder inFlightBytesMax(int value) {
      inFlightBytesMax = value;
      return this;
    }

    public Builder initialNumbers(InitialNumbers value) {
      initialNumbers = value;
      return this;
    }

    /** Checks all fields, alone and against each other. */
    public ConnectionConfig build() {
      window("requestWindowPackets", requestWindowPackets);
      if (dataWindowPackets != 0) {
        window("dataWindowPackets", dataWindowPackets);
      }
      range(
          "datagramLengthBytes",
          datagramLengthBytes,
          Limits.DATAGRAM_LENGTH_MIN,
          Limits.DATAGRAM_LENGTH_MAX);
      if (datagramLengthBytesMax != 0) {
        range(
            "datagramLengthBytesMax",
            datagramLengthBytesMax,
            datagramLengthBytes,
            Limits.PACKET_LENGTH_MAX);
      }
      range("initialCreditBytes", initialCreditBytes, 1 << 10, Limits.CREDIT_BYTES_MAX);
      range("outstandingMax", outstandingMax, 16, Limits.OUTSTANDING_MAX);
      range("solicitThresholdBytes", solicitThresholdBytes, 0, 1 << 20);
      // Ready pushes never ask: none of them may be longer.
      range(
          "congestedThresholdBytes",
          congestedThresholdBytes,
          PushSupplier.LENGTH_BYTES_MAX,
          1 << 20);
      // A header and its record must fit into the smallest packet, beside the fixed headers and
      // what is held back.
      int headerRoom = Math.min(Limits.HEADER_LENGTH_MAX, datagramLengthBytes - 128);
      range("headerLengthMax", headerLengthMax, 0, Math.max(headerRoom, 0));
      range("messageLengthMax", messageLengthMax, 1, Limits.MESSAGE_LENGTH_MAX);
      range(
          "inFlightBytesMax",
          inFlightBytesMax,
          Limits.IN_FLIGHT_BYTES_MIN,
          Limits.IN_FLIGHT_BYTES_MAX);
      range("ackDelayNsMax", ackDelayNsMax, 0, TimeUnit.MILLISECONDS.toNanos(100));
      range("flushWindowNs", flushWindowNs, 0, FLUSH_WINDOW_NS_MAX);
      range("idleTimeoutNs", idleTimeoutNs, TimeUnit.SECONDS.toNanos(1), TimeUnit.DAYS.toNanos(1));
      range(
          "connectTimeoutNs",
          connectTimeoutNs,
          TimeUnit.MILLISECONDS.toNanos(100),
          TimeUnit.MINUTES.toNanos(5));
      range("closeTimeoutNs", closeTimeoutNs, 0, TimeUnit.MINUTES.toNanos(5));
      long creditLeast =
          (long) solicitThresholdBytes + headerLengthMax + Limits.CREDIT_OVERHEAD_BYTES;
      if (initialCreditBytes < creditLeast) {
        throw new IllegalArgumentException(
            "initialCreditBytes="
                + initialCreditBytes
                + " must be at least solicitThresholdBytes + headerLengthMax + 32 = "
                + creditLeast);
      }
      if (adpProfile == null || adpParameters == null || congestion == null) {
        throw new IllegalArgumentException(
            "adpProfile, adpParameters and congestion must not be null");
      }
      adpProfile.totalNs(adpParameters); // refuses a total made of an ack_timeout that is off
      return new ConnectionConfig(new Builder(this));
    }

    private static void window(String name, int value) {
      if (value < Limits.WINDOW_PACKETS_MIN
          || value > Limits.WINDOW_PACKETS_MAX
          || Integer.bitCount(value) != 1) {
        throw new IllegalArgumentException(
            name
                + "="
                + value
                + " must be a power of two in "
                + Limits.WINDOW_PACKETS_MIN
                + ".."
                + Limits.WINDOW_PACKETS_MAX);
      }
    }

    private static void range(String name, long value, long min, long max) {
      if (value < min || value > max) {
        throw new IllegalArgumentException(name + "=" + value + " must be in " + min + ".." + max);
      }
    }
  }
}
