package io.rtransport.netty;

import io.netty.channel.ChannelOption;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.parameter.ConnectionParameter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.ToLongFunction;

/** Maps each option of the handshake to its field of {@link ConnectionConfig}. */
final class HandshakeOptions {
  private static final Map<ChannelOption<?>, Field<?>> FIELDS = new LinkedHashMap<>();

  static {
    ints(RtChannelOption.REQUEST_WINDOW, ConnectionParameter.REQUEST_WINDOW);
    ints(RtChannelOption.DATA_WINDOW, ConnectionParameter.DATA_WINDOW);
    flags(RtChannelOption.ORDERED, ConnectionParameter.ORDERED);
    ints(RtChannelOption.DATAGRAM_LENGTH, ConnectionParameter.DATAGRAM_LENGTH);
    ints(RtChannelOption.DATAGRAM_LENGTH_MAX, ConnectionParameter.DATAGRAM_LENGTH_MAX);
    flags(RtChannelOption.PATH_MTU_DISCOVERY, ConnectionParameter.PATH_MTU_DISCOVERY);
    put(
        RtChannelOption.PROFILE,
        ConnectionConfig.Builder::adpProfile,
        ConnectionConfig::adpProfile);
    put(
        RtChannelOption.PROFILE_PARAMETERS,
        ConnectionConfig.Builder::adpParameters,
        ConnectionConfig::adpParameters);
    flags(RtChannelOption.KEEPALIVE, ConnectionParameter.KEEPALIVE);
    ints(RtChannelOption.SOLICIT_THRESHOLD, ConnectionParameter.SOLICIT_THRESHOLD);
    ints(
        RtChannelOption.CONGESTED_SOLICIT_THRESHOLD,
        ConnectionParameter.CONGESTED_SOLICIT_THRESHOLD);
    ints(RtChannelOption.INITIAL_CREDIT, ConnectionParameter.INITIAL_CREDIT);
    ints(RtChannelOption.OUTSTANDING_MAX, ConnectionParameter.OUTSTANDING_MAX);
    ints(RtChannelOption.HEADER_LENGTH_MAX, ConnectionParameter.HEADER_LENGTH_MAX);
    longs(RtChannelOption.MESSAGE_LENGTH_MAX, ConnectionParameter.MESSAGE_LENGTH_MAX);
    ints(RtChannelOption.ACK_DELAY_MICROS, ConnectionParameter.ACK_DELAY_MICROS);
    ints(RtChannelOption.FLUSH_WINDOW_MICROS, ConnectionParameter.FLUSH_WINDOW_MICROS);
    longs(RtChannelOption.IDLE_TIMEOUT_MILLIS, ConnectionParameter.IDLE_TIMEOUT_MILLIS);
    longs(RtChannelOption.CLOSE_TIMEOUT_MILLIS, ConnectionParameter.CLOSE_TIMEOUT_MILLIS);
    put(
        RtChannelOption.CONGESTION,
        ConnectionConfig.Builder::congestion,
        ConnectionConfig::congestion);
    ints(RtChannelOption.IN_FLIGHT_MAX, ConnectionParameter.IN_FLIGHT_MAX);
  }

  /** Access to the field of one option. */
  record Field<T>(
      BiConsumer<ConnectionConfig.Builder, T> set, Function<ConnectionConfig, T> read) {}

  private HandshakeOptions() {}

  /** Returns the field of {@code option}; null if it is no option of the handshake. */
  @SuppressWarnings("unchecked") // each was put under an option of its own type
  static <T> Field<T> field(ChannelOption<T> option) {
    return (Field<T>) FIELDS.get(option);
  }

  static Set<ChannelOption<?>> all() {
    return FIELDS.keySet();
  }

  private static void ints(ChannelOption<Integer> option, ConnectionParameter parameter) {
    number(option, parameter, Integer::longValue, value -> (int) value);
  }

  private static void longs(ChannelOption<Long> option, ConnectionParameter parameter) {
    number(option, parameter, Long::longValue, value -> value);
  }

  private static void flags(ChannelOption<Boolean> option, ConnectionParameter parameter) {
    number(option, parameter, value -> value ? 1 : 0, value -> value != 0);
  }

  private static <T> void number(
      ChannelOption<T> option,
      ConnectionParameter parameter,
      ToLongFunction<T> number,
      LongFunction<T> value) {
    put(
        option,
        (builder, given) -> builder.set(parameter, parameter.ofUnit(number.applyAsLong(given))),
        config -> value.apply(parameter.toUnit(config.value(parameter))));
  }

  private static <T> void put(
      ChannelOption<T> option,
      BiConsumer<ConnectionConfig.Builder, T> set,
      Function<ConnectionConfig, T> read) {
    FIELDS.put(option, new Field<>(set, read));
  }
}
