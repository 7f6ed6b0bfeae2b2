package io.rtransport.core.parameter;

import io.rtransport.core.parameter.ParameterSpec.Agreement;
import io.rtransport.core.parameter.ParameterSpec.Unit;
import io.rtransport.core.stats.Limits;
import java.util.List;

/**
 * Parameters of a connection, each with its wire id, unit, range, default and one sentence.
 * Configuration, offer, channel options and the tables of docs/reference/protocol.md and
 * docs/reference/options.md are derived from it. The parameters that the peer is told come first,
 * in the order of their ids, which is their order in a packet. Where a channel option of the same
 * name exists, it sets the parameter.
 *
 * <p>A value is a {@code long}: a time in ns, a flag as 1 or 0, otherwise in its {@link #unit()}.
 * On the wire and as an option, a time is in its unit.
 */
public enum ConnectionParameter {
  REQUEST_WINDOW(
      ParameterSpec.told(16, "requestWindow", 4, Agreement.OF_EACH)
          .field("requestWindowPackets")
          .unit(Unit.PACKETS)
          .powerOfTwo(Limits.WINDOW_PACKETS_MIN, Limits.WINDOW_PACKETS_MAX)
          .otherwise(256),
      "Request packets that the peer may have between its lowest unacknowledged PSN and its next."),

  DATA_WINDOW(
      ParameterSpec.told(17, "dataWindow", 4, Agreement.OF_EACH)
          .field("dataWindowPackets")
          .unit(Unit.PACKETS)
          .powerOfTwo(Limits.WINDOW_PACKETS_MIN, Limits.WINDOW_PACKETS_MAX)
          .otherwise(1_024)
          .unset("as many as the path needs"),
      "Data packets that the peer may have between its lowest unacknowledged PSN and its next."),

  FIRST_REQUEST_PSN(
      ParameterSpec.told(18, "firstRequestPsn", 4, Agreement.OF_EACH).required(),
      "PSN of the first request packet."),

  FIRST_DATA_PSN(
      ParameterSpec.told(19, "firstDataPsn", 4, Agreement.OF_EACH).required(),
      "PSN of the first data packet."),

  FIRST_RSN(
      ParameterSpec.told(20, "firstRsn", 4, Agreement.OF_EACH).required(),
      "RSN of the first transaction."),

  FIRST_SSN(
      ParameterSpec.told(21, "firstSsn", 4, Agreement.OF_EACH).required(),
      "SSN of the first solicited push."),

  ORDERED(
      ParameterSpec.told(22, "ordered", 1, Agreement.LARGER).field("ordered").flag(true),
      "Whether messages are delivered, and ends told, in the order of submission, both ways."),

  DATAGRAM_LENGTH(
      ParameterSpec.told(23, "datagramSize", 2, Agreement.SMALLER)
          .field("datagramLengthBytes")
          .unit(Unit.BYTES)
          .range(Limits.DATAGRAM_LENGTH_MIN, Limits.DATAGRAM_LENGTH_MAX)
          .otherwise(1_408),
      "UDP payload of the largest packet that is taken to pass."),

  INITIAL_CREDIT(
      ParameterSpec.told(24, "initialCredit", 4, Agreement.OF_EACH)
          .field("initialCreditBytes")
          .unit(Unit.BYTES)
          .range(1 << 10, Limits.CREDIT_BYTES_MAX)
          .otherwise(16 << 10),
      "What the peer may push unasked at first; at least 32 more than the same side's limits of an"
          + " unasked push and of a header together."),

  OUTSTANDING_MAX(
      ParameterSpec.told(25, "outstandingMax", 4, Agreement.SMALLER)
          .field("outstandingMax")
          .unit(Unit.TRANSACTIONS)
          .range(16, Limits.OUTSTANDING_MAX)
          .otherwise(Limits.OUTSTANDING_MAX),
      "Transactions of each direction that have not ended."),

  SOLICIT_THRESHOLD(
      ParameterSpec.told(26, "solicitThreshold", 4, Agreement.SMALLER)
          .field("solicitThresholdBytes")
          .unit(Unit.BYTES)
          .range(0, 1 << 20)
          .otherwise(8 << 10),
      "A longer push MUST be solicited: it asks before it is sent."),

  HEADER_LENGTH_MAX(
      ParameterSpec.told(27, "headerLengthMax", 2, Agreement.SMALLER)
          .field("headerLengthMax")
          .unit(Unit.BYTES)
          .range(0, Limits.HEADER_LENGTH_MAX)
          .otherwise(Limits.HEADER_LENGTH_MAX),
      "Longest application header of a request; at most the agreed datagram size − 128."),

  MESSAGE_LENGTH_MAX(
      ParameterSpec.told(28, "messageLengthMax", 8, Agreement.OF_EACH)
          .field("messageLengthMax")
          .unit(Unit.BYTES)
          .range(1, Limits.MESSAGE_LENGTH_MAX)
          .otherwise(1 << 30),
      "Longest message that the peer may send, by push or as an answer."),

  ACK_DELAY_MICROS(
      ParameterSpec.told(29, "ackDelayMaxMicros", 4, Agreement.OF_EACH)
          .field("ackDelayNsMax")
          .unit(Unit.MICROSECONDS)
          .range(0, 100_000)
          .otherwise(1_000)
          .roundedUp(),
      "Longest time for which an acknowledgement is held back; the peer adds it to its timers."),

  IDLE_TIMEOUT_MILLIS(
      ParameterSpec.told(30, "idleTimeoutMillis", 4, Agreement.SMALLER)
          .field("idleTimeoutNs")
          .unit(Unit.MILLISECONDS)
          .range(1_000, 86_400_000)
          .otherwise(300_000),
      "Silence that ends the connection; at least twice the larger total timeout of both sides."),

  FEATURES(
      ParameterSpec.told(31, "features", 4, Agreement.OF_EACH).any(0),
      "What a side takes beyond this table, one bit each."),

  ADP_TOTAL_MILLIS(
      ParameterSpec.told(32, "adpTotalMillis", 4, Agreement.LARGER)
          .unit(Unit.MILLISECONDS)
          .range(0, 86_400_000)
          .otherwise(4_200),
      "Total timeout without progress, said as at least 100 and at most a day."),

  DATAGRAM_LENGTH_MAX(
      ParameterSpec.told(33, "datagramSizeMax", 2, Agreement.OF_EACH)
          .field("datagramLengthBytesMax")
          .unit(Unit.BYTES)
          .range(Limits.DATAGRAM_LENGTH_MIN, Limits.PACKET_LENGTH_MAX)
          .otherwiseAs("the same offer's datagramSize")
          .unset("what the socket receives"),
      "Longest datagram that the peer may send; not below the same side's datagram size."),

  PATH_MTU_DISCOVERY(
      ParameterSpec.local("pathMtuDiscovered").flag(false),
      "Whether this side looks for the longest datagram that its way to the peer carries."),

  KEEPALIVE(
      ParameterSpec.local("keepalive").flag(false),
      "Whether a silent connection is kept alive, by a PING at a third of the idle timeout."),

  CONGESTED_SOLICIT_THRESHOLD(
      ParameterSpec.local("congestedThresholdBytes")
          .unit(Unit.BYTES)
          // Ready pushes never ask, so none of them may be longer.
          .range(Limits.READY_PUSH_BYTES_MAX, 1 << 20)
          .otherwise(1 << 20),
      "A longer push asks before it is sent while its path is congested."),

  FLUSH_WINDOW_MICROS(
      ParameterSpec.local("flushWindowNs").unit(Unit.MICROSECONDS).range(0, 10_000).otherwise(0),
      "Longest time for which a flushed message waits for others to share its packet."),

  CONNECT_TIMEOUT_MILLIS(
      ParameterSpec.local("connectTimeoutNs")
          .unit(Unit.MILLISECONDS)
          .range(100, 300_000)
          .otherwise(5_000),
      "Longest time that set-up may take."),

  CLOSE_TIMEOUT_MILLIS(
      ParameterSpec.local("closeTimeoutNs")
          .unit(Unit.MILLISECONDS)
          .range(0, 300_000)
          .otherwise(5_000),
      "Longest time for which close waits for what is outstanding before it aborts it."),

  IN_FLIGHT_MAX(
      ParameterSpec.local("inFlightBytesMax")
          .unit(Unit.BYTES)
          .range(Limits.IN_FLIGHT_BYTES_MIN, Limits.IN_FLIGHT_BYTES_MAX)
          .otherwise(Limits.IN_FLIGHT_BYTES_DEFAULT),
      "Bytes that may be on their way in one direction: unacknowledged, granted ahead, or credit.");

  private static final List<ConnectionParameter> ALL = List.of(values());
  private static final List<ConnectionParameter> TOLD =
      ALL.stream().filter(ConnectionParameter::isTold).toList();
  private static final List<ConnectionParameter> CONFIGURED =
      ALL.stream().filter(parameter -> parameter.spec.field != null).toList();
  private static final ConnectionParameter[] BY_ID = byId();
  private static final long[] INITIAL =
      ALL.stream().mapToLong(ConnectionParameter::initial).toArray();

  private final ParameterSpec spec;
  private final String sentence;

  ConnectionParameter(ParameterSpec spec, String sentence) {
    this.spec = spec;
    this.sentence = sentence;
  }

  private static ConnectionParameter[] byId() {
    ConnectionParameter[] byId = new ConnectionParameter[TOLD.get(TOLD.size() - 1).id() + 1];
    TOLD.forEach(parameter -> byId[parameter.id()] = parameter);
    return byId;
  }

  /**
   * Returns the parameters that the peer is told, in the order of their ids. They are the first of
   * all.
   */
  public static List<ConnectionParameter> told() {
    return TOLD;
  }

  /** Returns the parameters that a configuration has a field for. */
  public static List<ConnectionParameter> configured() {
    return CONFIGURED;
  }

  /** Returns the parameter with the wire id {@code id}, or null. */
  public static ConnectionParameter ofId(int id) {
    return id >= 0 && id < BY_ID.length ? BY_ID[id] : null;
  }

  /** Returns the initial values of a configuration, by ordinal. */
  public static long[] initialValues() {
    return INITIAL.clone();
  }

  /** Returns whether CONNECT and ACCEPT carry it. */
  public boolean isTold() {
    return spec.id != 0;
  }

  /** Returns its id in CONNECT and ACCEPT. */
  public int id() {
    return spec.id;
  }

  /** Returns the bytes of its value in CONNECT and ACCEPT, as this side writes it. */
  public int wireLengthBytes() {
    return spec.wireLengthBytes;
  }

  /** Returns its name in docs/reference/protocol.md. */
  public String wireName() {
    return spec.wireName;
  }

  /** Returns the name of its accessor in a configuration, or null. */
  public String field() {
    return spec.field;
  }

  public Unit unit() {
    return spec.unit;
  }

  /** Returns which of both sides' values applies. */
  public Agreement agreement() {
    return spec.agreement;
  }

  public long min() {
    return spec.min;
  }

  public long max() {
    return spec.max;
  }

  /** Returns whether any value is valid. */
  public boolean isAny() {
    return spec.isAny;
  }

  public boolean isPowerOfTwo() {
    return spec.isPowerOfTwo;
  }

  /** Returns whether an offer without it is invalid. */
  public boolean isRequired() {
    return spec.isRequired;
  }

  /** Returns the value for a side that does not send it. */
  public long otherwise() {
    return spec.otherwise;
  }

  /** Returns the value for a side that does not send it, in words; null where it is a number. */
  public String otherwiseText() {
    return spec.otherwiseText;
  }

  /**
   * Returns the meaning of an unset value in a configuration, in words; null where it is always
   * set.
   */
  public String unsetText() {
    return spec.unsetText;
  }

  /** Returns its meaning in one sentence. */
  public String sentence() {
    return sentence;
  }

  /** Returns the initial value in a configuration; 0 where that is "unset". */
  public long initial() {
    return isUnset(0) ? 0 : spec.otherwise;
  }

  /** Returns whether {@code value} stands for "unset" in a configuration. */
  public boolean isUnset(long value) {
    return spec.unsetText != null && value == 0;
  }

  /** Returns whether {@code value} is in its range. */
  public boolean isValid(long value) {
    return spec.isAny
        || value >= spec.min
            && value <= spec.max
            && (!spec.isPowerOfTwo || Long.bitCount(value) == 1);
  }

  /** Returns whether {@code value}, in its unit, is in its range. */
  public boolean isValidInUnit(long value) {
    // The unit's bounds first: beyond them the product may overflow.
    return spec.isAny
        || value >= toUnit(spec.min) && value <= toUnit(spec.max) && isValid(ofUnit(value));
  }

  /**
   * Checks that {@code value} is in its range, or "unset".
   *
   * @throws IllegalArgumentException naming the field, the value and the valid range
   */
  public void check(long value) {
    if (!isValid(value) && !isUnset(value)) {
      throw refused(value, spec.min, spec.max);
    }
  }

  /**
   * Checks that {@code value} is in {@code min..max}, a part of its range that depends on other
   * parameters.
   *
   * @throws IllegalArgumentException naming the field, the value and the valid range
   */
  public void check(long value, long min, long max) {
    if (value < min || value > max) {
      throw refused(value, min, max);
    }
  }

  private IllegalArgumentException refused(long value, long min, long max) {
    String kind = spec.isPowerOfTwo ? " must be a power of two in " : " must be in ";
    return new IllegalArgumentException(spec.field + "=" + value + kind + min + ".." + max);
  }

  /** Converts a value from its unit: a time becomes nanoseconds. */
  public long ofUnit(long value) {
    return value * spec.unit.scale;
  }

  /** Converts {@code value} to its unit, as on the wire and in options. */
  public long toUnit(long value) {
    return spec.isRoundedUp
        ? (value + spec.unit.scale - 1) / spec.unit.scale
        : value / spec.unit.scale;
  }

  /** Returns the value that applies to both sides. */
  public long agree(long own, long peer) {
    return switch (spec.agreement) {
      case SMALLER -> Math.min(own, peer);
      case LARGER -> Math.max(own, peer);
      case OF_EACH, LOCAL -> throw new IllegalStateException(this + " is each side's own");
    };
  }
}
