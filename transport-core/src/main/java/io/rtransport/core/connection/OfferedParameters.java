package io.rtransport.core.connection;

import io.rtransport.core.stats.Limits;
import io.rtransport.core.wire.TlvId;
import io.rtransport.core.wire.TlvReader;
import io.rtransport.core.wire.TlvWriter;
import java.util.concurrent.TimeUnit;

/**
 * What one side says of itself in CONNECT or ACCEPT, as it stands on the wire. A parameter that is
 * missing has its default; one outside its range makes the whole offer unacceptable ({@link #read}
 * answers null).
 *
 * @param ackDelayNsMax the latest that an acknowledgement leaves, {@link #timerTickNs} included
 * @param timerTickNs how late this side's timers may be; not on the wire, 0 in what is read
 */
record OfferedParameters(
    int requestWindow,
    int dataWindow,
    InitialNumbers numbers,
    boolean isOrdered,
    int datagramLengthBytes,
    int datagramLengthBytesMax,
    int initialCreditBytes,
    int outstandingMax,
    int solicitThresholdBytes,
    int headerLengthMax,
    long messageLengthMax,
    long ackDelayNsMax,
    long idleTimeoutNs,
    int features,
    long adpTotalNs,
    long timerTickNs) {

  /**
   * Takes pushes with {@link io.rtransport.core.wire.PushUnsolicitedDataFlyweight#FLAG_UNAWAITED}.
   */
  static final int FEATURE_UNAWAITED = 1;

  /**
   * Takes a credit limit that is up to {@link Limits#CREDIT_AHEAD_BYTES_MAX} ahead, and not {@link
   * Limits#CREDIT_BYTES_MAX} only.
   */
  static final int FEATURE_LONG_CREDIT = 2;

  private static final long DAY_MILLIS = TimeUnit.DAYS.toMillis(1);

  /** Silence is judged by no less than this, even where a profile gives up at its first expiry. */
  static final long ADP_TOTAL_NS_MIN = TimeUnit.MILLISECONDS.toNanos(100);

  /** The longest delay of an acknowledgement that can be said, ns. */
  private static final long ACK_DELAY_NS_MAX = TimeUnit.MILLISECONDS.toNanos(100);

  /** The same where timers are exact. */
  static OfferedParameters of(ConnectionConfig config, InitialNumbers numbers, long adpTotalNs) {
    return of(config, numbers, adpTotalNs, 0);
  }

  /**
   * What {@code config} makes us say. A total that is longer than a day, or for ever, is said as a
   * day.
   *
   * @param timerTickNs how late our timers may be. An acknowledgement is held for the configured
   *     time, and leaves so much later: the peer is told of both together
   */
  static OfferedParameters of(
      ConnectionConfig config, InitialNumbers numbers, long adpTotalNs, long timerTickNs) {
    return new OfferedParameters(
        config.requestWindowPackets(),
        config.dataWindowPackets(),
        numbers,
        config.isOrdered(),
        config.datagramLengthBytes(),
        config.datagramLengthBytesMax(),
        config.initialCreditBytes(),
        config.outstandingMax(),
        config.solicitThresholdBytes(),
        config.headerLengthMax(),
        config.messageLengthMax(),
        config.ackDelayNsMax() == 0
            ? 0
            : Math.min(ACK_DELAY_NS_MAX, config.ackDelayNsMax() + timerTickNs),
        config.idleTimeoutNs(),
        features(config),
        Math.max(ADP_TOTAL_NS_MIN, Math.min(adpTotalNs, TimeUnit.DAYS.toNanos(1))),
        timerTickNs);
  }

  /** Who has no more than 2 MiB on its way has no use for more credit, and does not take it. */
  private static int features(ConnectionConfig config) {
    boolean isLong = config.inFlightBytesMax() > Limits.CREDIT_BYTES_MAX;
    return FEATURE_UNAWAITED | (isLong ? FEATURE_LONG_CREDIT : 0);
  }

  boolean has(int feature) {
    return (features & feature) != 0;
  }

  /**
   * For how long an acknowledgement is held, so that a timer that is late by a tick still keeps
   * what was said.
   */
  long ackHoldNs() {
    return Math.max(0, ackDelayNsMax - timerTickNs);
  }

  void write(TlvWriter to) {
    to.putU32(TlvId.REQUEST_WINDOW, requestWindow)
        .putU32(TlvId.DATA_WINDOW, dataWindow)
        .putU32(TlvId.FIRST_REQUEST_PSN, numbers.requestPsn())
        .putU32(TlvId.FIRST_DATA_PSN, numbers.dataPsn())
        .putU32(TlvId.FIRST_RSN, numbers.rsn())
        .putU32(TlvId.FIRST_SSN, numbers.ssn())
        .putU8(TlvId.ORDERED, isOrdered ? 1 : 0)
        .putU16(TlvId.DATAGRAM_SIZE, datagramLengthBytes)
        .putU32(TlvId.INITIAL_CREDIT, initialCreditBytes)
        .putU32(TlvId.OUTSTANDING_MAX, outstandingMax)
        .putU32(TlvId.SOLICIT_THRESHOLD, solicitThresholdBytes)
        .putU16(TlvId.HEADER_LENGTH_MAX, headerLengthMax)
        .putU64(TlvId.MESSAGE_LENGTH_MAX, messageLengthMax)
        .putU32(TlvId.ACK_DELAY_MAX_MICROS, TimeUnit.NANOSECONDS.toMicros(ackDelayNsMax + 999))
        .putU32(TlvId.IDLE_TIMEOUT_MILLIS, TimeUnit.NANOSECONDS.toMillis(idleTimeoutNs))
        .putU32(TlvId.FEATURES, features)
        .putU32(TlvId.ADP_TOTAL_MILLIS, TimeUnit.NANOSECONDS.toMillis(adpTotalNs));
    if (datagramLengthBytesMax > datagramLengthBytes) {
      to.putU16(TlvId.DATAGRAM_SIZE_MAX, datagramLengthBytesMax);
    }
  }

  /**
   * What the peer says, or null where a value is outside its range: then there is no connection.
   */
  static OfferedParameters read(TlvReader from) {
    long requestWindow = number(from, TlvId.REQUEST_WINDOW, 256);
    long dataWindow = number(from, TlvId.DATA_WINDOW, 1_024);
    long datagramLength = number(from, TlvId.DATAGRAM_SIZE, 1_408);
    long datagramLengthMax = number(from, TlvId.DATAGRAM_SIZE_MAX, datagramLength);
    long initialCredit = number(from, TlvId.INITIAL_CREDIT, 16 << 10);
    long outstanding = number(from, TlvId.OUTSTANDING_MAX, Limits.OUTSTANDING_MAX);
    long threshold = number(from, TlvId.SOLICIT_THRESHOLD, 8 << 10);
    long headerLength = number(from, TlvId.HEADER_LENGTH_MAX, Limits.HEADER_LENGTH_MAX);
    long messageLength = number(from, TlvId.MESSAGE_LENGTH_MAX, 1L << 30);
    long ackDelayMicros = number(from, TlvId.ACK_DELAY_MAX_MICROS, 1_000);
    long idleMillis = number(from, TlvId.IDLE_TIMEOUT_MILLIS, 300_000);
    long totalMillis = number(from, TlvId.ADP_TOTAL_MILLIS, 4_200);
    boolean valid =
        isWindow(requestWindow)
            && isWindow(dataWindow)
            && isWithin(datagramLength, Limits.DATAGRAM_LENGTH_MIN, Limits.DATAGRAM_LENGTH_MAX)
            && isWithin(datagramLengthMax, datagramLength, Limits.PACKET_LENGTH_MAX)
            && isWithin(initialCredit, 1 << 10, Limits.CREDIT_BYTES_MAX)
            && isWithin(outstanding, 16, Limits.OUTSTANDING_MAX)
            && isWithin(threshold, 0, 1 << 20)
            && isWithin(headerLength, 0, Limits.HEADER_LENGTH_MAX)
            && isWithin(messageLength, 1, Limits.MESSAGE_LENGTH_MAX)
            && isWithin(ackDelayMicros, 0, 100_000)
            && isWithin(idleMillis, 1_000, DAY_MILLIS)
            && isWithin(totalMillis, 0, DAY_MILLIS)
            && isWithin(number(from, TlvId.ORDERED, 1), 0, 1)
            && initialCredit >= threshold + headerLength + Limits.CREDIT_OVERHEAD_BYTES
            && from.find(TlvId.FIRST_REQUEST_PSN)
            && from.find(TlvId.FIRST_DATA_PSN)
            && from.find(TlvId.FIRST_RSN)
            && from.find(TlvId.FIRST_SSN);
    if (!valid) {
      return null;
    }
    InitialNumbers numbers =
        new InitialNumbers(
            (int) number(from, TlvId.FIRST_REQUEST_PSN, 0),
            (int) number(from, TlvId.FIRST_DATA_PSN, 0),
            (int) number(from, TlvId.FIRST_RSN, 0),
            (int) number(from, TlvId.FIRST_SSN, 0));
    return new OfferedParameters(
        (int) requestWindow,
        (int) dataWindow,
        numbers,
        number(from, TlvId.ORDERED, 1) == 1,
        (int) datagramLength,
        (int) datagramLengthMax,
        (int) initialCredit,
        (int) outstanding,
        (int) threshold,
        (int) headerLength,
        messageLength,
        TimeUnit.MICROSECONDS.toNanos(ackDelayMicros),
        TimeUnit.MILLISECONDS.toNanos(idleMillis),
        (int) number(from, TlvId.FEATURES, 0),
        TimeUnit.MILLISECONDS.toNanos(totalMillis),
        0);
  }

  private static long number(TlvReader from, int id, long otherwise) {
    return from.find(id) ? from.value() : otherwise;
  }

  private static boolean isWindow(long packets) {
    return isWithin(packets, Limits.WINDOW_PACKETS_MIN, Limits.WINDOW_PACKETS_MAX)
        && Long.bitCount(packets) == 1;
  }

  private static boolean isWithin(long value, long min, long max) {
    return value >= min && value <= max;
  }
}
