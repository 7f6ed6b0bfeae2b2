package io.rtransport.core.connection;

import static io.rtransport.core.parameter.ConnectionParameter.ACK_DELAY_MICROS;
import static io.rtransport.core.parameter.ConnectionParameter.ADP_TOTAL_MILLIS;
import static io.rtransport.core.parameter.ConnectionParameter.DATAGRAM_LENGTH;
import static io.rtransport.core.parameter.ConnectionParameter.DATAGRAM_LENGTH_MAX;
import static io.rtransport.core.parameter.ConnectionParameter.DATA_WINDOW;
import static io.rtransport.core.parameter.ConnectionParameter.FEATURES;
import static io.rtransport.core.parameter.ConnectionParameter.FIRST_DATA_PSN;
import static io.rtransport.core.parameter.ConnectionParameter.FIRST_REQUEST_PSN;
import static io.rtransport.core.parameter.ConnectionParameter.FIRST_RSN;
import static io.rtransport.core.parameter.ConnectionParameter.FIRST_SSN;
import static io.rtransport.core.parameter.ConnectionParameter.HEADER_LENGTH_MAX;
import static io.rtransport.core.parameter.ConnectionParameter.IDLE_TIMEOUT_MILLIS;
import static io.rtransport.core.parameter.ConnectionParameter.INITIAL_CREDIT;
import static io.rtransport.core.parameter.ConnectionParameter.MESSAGE_LENGTH_MAX;
import static io.rtransport.core.parameter.ConnectionParameter.ORDERED;
import static io.rtransport.core.parameter.ConnectionParameter.OUTSTANDING_MAX;
import static io.rtransport.core.parameter.ConnectionParameter.REQUEST_WINDOW;
import static io.rtransport.core.parameter.ConnectionParameter.SOLICIT_THRESHOLD;

import io.rtransport.core.parameter.AgreedParameters;
import io.rtransport.core.parameter.CommonParameters;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.parameter.ConnectionParameter;
import io.rtransport.core.parameter.DirectionParameters;
import io.rtransport.core.parameter.InitialNumbers;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.wire.TlvReader;
import io.rtransport.core.wire.TlvWriter;
import java.util.concurrent.TimeUnit;

/**
 * The offer of one side in CONNECT or ACCEPT: a value for each parameter that is told. A missing
 * parameter has its default. A value outside its range makes the whole offer unacceptable: {@link
 * #read} returns null.
 */
final class OfferedParameters {
  /**
   * Least total that is offered, even if a profile gives up at its first expiry. The peer's silence
   * is judged by it.
   */
  private static final long ADP_TOTAL_NS_MIN = TimeUnit.MILLISECONDS.toNanos(100);

  private final long[] values = new long[ConnectionParameter.told().size()]; // indexed by ordinal
  private final int transmissionSequence; // not on the wire
  private final long timerTickNs; // not on the wire; 0 in an offer that was read

  private OfferedParameters(int transmissionSequence, long timerTickNs) {
    this.transmissionSequence = transmissionSequence;
    this.timerTickNs = timerTickNs;
  }

  /** Returns the offer of a side with exact timers. */
  static OfferedParameters of(ConnectionConfig config, InitialNumbers numbers, long adpTotalNs) {
    return of(config, numbers, adpTotalNs, 0);
  }

  /**
   * Returns the offer that follows from {@code config}. An ADP total of more than a day, or without
   * end, is offered as a day.
   *
   * @param timerTickNs how late our timers may be. An acknowledgement is held for the configured
   *     time and may leave later by this tick. So the peer is told the sum of both
   */
  static OfferedParameters of(
      ConnectionConfig config, InitialNumbers numbers, long adpTotalNs, long timerTickNs) {
    OfferedParameters offer = new OfferedParameters(numbers.transmissionSequence(), timerTickNs);
    for (ConnectionParameter parameter : ConnectionParameter.told()) {
      offer.put(parameter, config.value(parameter));
    }
    long holdNs = config.ackDelayNsMax();
    offer.put(
        ACK_DELAY_MICROS, holdNs == 0 ? 0 : Math.min(ACK_DELAY_MICROS.max(), holdNs + timerTickNs));
    offer.put(
        ADP_TOTAL_MILLIS, Math.max(ADP_TOTAL_NS_MIN, Math.min(adpTotalNs, ADP_TOTAL_MILLIS.max())));
    offer.put(FEATURES, features(config));
    offer.put(FIRST_REQUEST_PSN, Integer.toUnsignedLong(numbers.requestPsn()));
    offer.put(FIRST_DATA_PSN, Integer.toUnsignedLong(numbers.dataPsn()));
    offer.put(FIRST_RSN, Integer.toUnsignedLong(numbers.rsn()));
    offer.put(FIRST_SSN, Integer.toUnsignedLong(numbers.ssn()));
    return offer;
  }

  /**
   * Returns the feature bits. A side with no more than 2 MiB on its way needs no more credit and
   * does not take it.
   */
  private static int features(ConnectionConfig config) {
    boolean isLong = config.inFlightBytesMax() > Limits.CREDIT_BYTES_MAX;
    return DirectionParameters.FEATURE_UNAWAITED
        | DirectionParameters.FEATURE_RAILS
        | (isLong ? DirectionParameters.FEATURE_LONG_CREDIT : 0);
  }

  /** Writes the parameters in the order of their ids. */
  void write(TlvWriter to) {
    for (ConnectionParameter parameter : ConnectionParameter.told()) {
      if (parameter != DATAGRAM_LENGTH_MAX || value(parameter) > value(DATAGRAM_LENGTH)) {
        to.putNumber(
            parameter.id(), parameter.wireLengthBytes(), parameter.toUnit(value(parameter)));
      }
    }
  }

  /**
   * Returns the peer's offer, or null if a value is outside its range: then there is no connection.
   */
  static OfferedParameters read(TlvReader from) {
    OfferedParameters offer = new OfferedParameters(0, 0);
    for (ConnectionParameter parameter : ConnectionParameter.told()) {
      boolean isSaid = from.find(parameter.id());
      if (isSaid ? !parameter.isValidInUnit(from.value()) : parameter.isRequired()) {
        return null;
      }
      offer.put(parameter, isSaid ? parameter.ofUnit(from.value()) : offer.otherwise(parameter));
    }
    return offer.isCoherent() ? offer : null;
  }

  private long otherwise(ConnectionParameter parameter) {
    return parameter == DATAGRAM_LENGTH_MAX ? value(DATAGRAM_LENGTH) : parameter.otherwise();
  }

  /** Returns whether the values fit together. */
  private boolean isCoherent() {
    long creditLeast =
        value(SOLICIT_THRESHOLD) + value(HEADER_LENGTH_MAX) + Limits.CREDIT_OVERHEAD_BYTES;
    return value(INITIAL_CREDIT) >= creditLeast
        && value(DATAGRAM_LENGTH_MAX) >= value(DATAGRAM_LENGTH);
  }

  private void put(ConnectionParameter parameter, long value) {
    values[parameter.ordinal()] = value;
  }

  /** Returns the offered value of {@code parameter}. */
  long value(ConnectionParameter parameter) {
    return values[parameter.ordinal()];
  }

  /** Returns whether its side knows rails. */
  boolean hasRails() {
    return (number(FEATURES) & DirectionParameters.FEATURE_RAILS) != 0;
  }

  private int number(ConnectionParameter parameter) {
    return (int) value(parameter);
  }

  private InitialNumbers numbers() {
    return new InitialNumbers(
        number(FIRST_REQUEST_PSN),
        number(FIRST_DATA_PSN),
        number(FIRST_RSN),
        number(FIRST_SSN),
        transmissionSequence);
  }

  /** Returns what this offer, which is ours, and the offer {@code peer} agree on. */
  AgreedParameters agree(OfferedParameters peer) {
    // Hold acknowledgements for a tick less than offered, so that a timer that is late by a tick
    // still keeps the promise.
    long holdNs = Math.max(0, value(ACK_DELAY_MICROS) - timerTickNs);
    return new AgreedParameters(
        common(peer),
        peer.direction(this, peer.value(ACK_DELAY_MICROS)),
        direction(this, holdNs),
        numbers(),
        peer.numbers());
  }

  private CommonParameters common(OfferedParameters peer) {
    long datagramLength = agreed(DATAGRAM_LENGTH, peer);
    long totalNs = agreed(ADP_TOTAL_MILLIS, peer);
    return new CommonParameters(
        agreed(ORDERED, peer) == 1,
        (int) datagramLength,
        (int) agreed(OUTSTANDING_MAX, peer),
        (int) agreed(SOLICIT_THRESHOLD, peer),
        (int)
            Math.min(
                agreed(HEADER_LENGTH_MAX, peer), datagramLength - CommonParameters.HEADER_ROOM),
        Math.max(agreed(IDLE_TIMEOUT_MILLIS, peer), 2 * totalNs),
        totalNs);
  }

  private long agreed(ConnectionParameter parameter, OfferedParameters peer) {
    return parameter.agree(value(parameter), peer.value(parameter));
  }

  /** Returns what this side lets {@code sender} send. The sender's own windows are a limit too. */
  private DirectionParameters direction(OfferedParameters sender, long ackDelayNsMax) {
    return new DirectionParameters(
        Math.min(number(REQUEST_WINDOW), sender.number(REQUEST_WINDOW)),
        Math.min(number(DATA_WINDOW), sender.number(DATA_WINDOW)),
        number(DATAGRAM_LENGTH_MAX),
        number(INITIAL_CREDIT),
        value(MESSAGE_LENGTH_MAX),
        ackDelayNsMax,
        number(FEATURES));
  }
}
