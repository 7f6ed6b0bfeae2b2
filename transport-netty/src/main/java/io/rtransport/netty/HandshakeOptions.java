package io.rtransport.netty;

import io.netty.channel.ChannelOption;
import io.rtransport.core.connection.ConnectionConfig;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** Which of a {@link ConnectionConfig}'s fields each option of the handshake stands for. */
final class HandshakeOptions {
  private static final Map<ChannelOption<?>, Field<?>> FIELDS = fields();

  /** One option: where its value is kept. */
  record Field<T>(
      BiConsumer<ConnectionConfig.Builder, T> set, Function<ConnectionConfig, T> read) {}

  private HandshakeOptions() {}

  /** What {@code option} stands for; null if it is none of the handshake's. */
  @SuppressWarnings("unchecked") // each was put under an option of its own type
  static <T> Field<T> field(ChannelOption<T> option) {
    return (Field<T>) FIELDS.get(option);
  }

  static Set<ChannelOption<?>> all() {
    return FIELDS.keySet();
  }

  private static Map<ChannelOption<?>, Field<?>> fields() {
    Map<ChannelOption<?>, Field<?>> options = new LinkedHashMap<>();
    put(
        options,
        RtChannelOption.REQUEST_WINDOW,
        ConnectionConfig.Builder::requestWindowPackets,
        ConnectionConfig::requestWindowPackets);
    put(
        options,
        RtChannelOption.DATA_WINDOW,
        ConnectionConfig.Builder::dataWindowPackets,
        ConnectionConfig::dataWindowPackets);
    put(
        options,
        RtChannelOption.ORDERED,
        ConnectionConfig.Builder::ordered,
        ConnectionConfig::isOrdered);
    put(
        options,
        RtChannelOption.DATAGRAM_LENGTH,
        ConnectionConfig.Builder::datagramLengthBytes,
        ConnectionConfig::datagramLengthBytes);
    put(
        options,
        RtChannelOption.DATAGRAM_LENGTH_MAX,
        ConnectionConfig.Builder::datagramLengthBytesMax,
        ConnectionConfig::datagramLengthBytesMax);
    put(
        options,
        RtChannelOption.PATH_MTU_DISCOVERY,
        ConnectionConfig.Builder::pathMtuDiscovered,
        ConnectionConfig::isPathMtuDiscovered);
    put(
        options,
        RtChannelOption.PROFILE,
        ConnectionConfig.Builder::adpProfile,
        ConnectionConfig::adpProfile);
    put(
        options,
        RtChannelOption.PROFILE_PARAMETERS,
        ConnectionConfig.Builder::adpParameters,
        ConnectionConfig::adpParameters);
    put(
        options,
        RtChannelOption.KEEPALIVE,
        ConnectionConfig.Builder::keepalive,
        ConnectionConfig::isKeepalive);
    put(
        options,
        RtChannelOption.SOLICIT_THRESHOLD,
        ConnectionConfig.Builder::solicitThresholdBytes,
        ConnectionConfig::solicitThresholdBytes);
    put(
        options,
        RtChannelOption.CONGESTED_SOLICIT_THRESHOLD,
        ConnectionConfig.Builder::congestedThresholdBytes,
        ConnectionConfig::congestedThresholdBytes);
    put(
        options,
        RtChannelOption.INITIAL_CREDIT,
        ConnectionConfig.Builder::initialCreditBytes,
        ConnectionConfig::initialCreditBytes);
    put(
        options,
        RtChannelOption.OUTSTANDING_MAX,
        ConnectionConfig.Builder::outstandingMax,
        ConnectionConfig::outstandingMax);
    put(
        options,
        RtChannelOption.HEADER_LENGTH_MAX,
        ConnectionConfig.Builder::headerLengthMax,
        ConnectionConfig::headerLengthMax);
    put(
        options,
        RtChannelOption.MESSAGE_LENGTH_MAX,
        ConnectionConfig.Builder::messageLengthMax,
        ConnectionConfig::messageLengthMax);
    put(
        options,
        RtChannelOption.ACK_DELAY_MICROS,
        (builder, micros) -> builder.ackDelayNsMax(TimeUnit.MICROSECONDS.toNanos(micros)),
        config -> (int) TimeUnit.NANOSECONDS.toMicros(config.ackDelayNsMax()));
    put(
        options,
        RtChannelOption.FLUSH_WINDOW_MICROS,
        (builder, micros) -> builder.flushWindowNs(TimeUnit.MICROSECONDS.toNanos(micros)),
        config -> (int) TimeUnit.NANOSECONDS.toMicros(config.flushWindowNs()));
    put(
        options,
        RtChannelOption.IDLE_TIMEOUT_MILLIS,
        (builder, millis) -> builder.idleTimeoutNs(TimeUnit.MILLISECONDS.toNanos(millis)),
        config -> TimeUnit.NANOSECONDS.toMillis(config.idleTimeoutNs()));
    put(
        options,
        RtChannelOption.CLOSE_TIMEOUT_MILLIS,
        (builder, millis) -> builder.closeTimeoutNs(TimeUnit.MILLISECONDS.toNanos(millis)),
        config -> TimeUnit.NANOSECONDS.toMillis(config.closeTimeoutNs()));
    put(
        options,
        RtChannelOption.CONGESTION,
        ConnectionConfig.Builder::congestion,
        ConnectionConfig::congestion);
    put(
        options,
        RtChannelOption.IN_FLIGHT_MAX,
        ConnectionConfig.Builder::inFlightBytesMax,
        ConnectionConfig::inFlightBytesMax);
    return options;
  }

  private static <T> void put(
      Map<ChannelOption<?>, Field<?>> options,
      ChannelOption<T> option,
      BiConsumer<ConnectionConfig.Builder, T> set,
      Function<ConnectionConfig, T> read) {
    options.put(option, new Field<>(set, read));
  }
}
