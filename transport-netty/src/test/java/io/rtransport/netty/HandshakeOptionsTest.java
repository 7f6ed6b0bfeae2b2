package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.rtransport.core.parameter.ConnectionParameter;
import io.rtransport.core.parameter.ParameterSpec.Unit;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Each parameter of a connection has its channel option, and the other way round. */
class HandshakeOptionsTest {
  private static final ChannelFactory<RtChannel> CLIENTS =
      RtChannels.client(NioDatagramChannel::new);

  @Test
  void shouldHaveAnOptionOfItsNameForEachParameterThatSetsItInItsUnit() throws Exception {
    for (ConnectionParameter parameter : ConnectionParameter.configured()) {
      if (parameter == ConnectionParameter.CONNECT_TIMEOUT_MILLIS) {
        continue; // Netty's own
      }
      RtChannel channel = CLIENTS.newChannel();
      channel.config().setOption(RtChannelOption.INITIAL_CREDIT, 2 << 20);
      channel.config().setOption(RtChannelOption.HEADER_LENGTH_MAX, 0); // fits all datagrams
      channel.config().setOption(RtChannelOption.SOLICIT_THRESHOLD, 0); // fits all credit
      if (parameter == ConnectionParameter.DATAGRAM_LENGTH_MAX) {
        channel.config().setOption(RtChannelOption.DATAGRAM_LENGTH, 576); // is never above it
      }
      ChannelOption<?> option =
          (ChannelOption<?>) RtChannelOption.class.getField(parameter.name()).get(null);
      assertThat(HandshakeOptions.field(option)).as("%s", parameter).isNotNull();
      Object typical = channel.config().getOption(option);
      long least = parameter.toUnit(parameter.min());
      long most = parameter.toUnit(parameter.max());
      for (long value : new long[] {least, most}) {
        set(channel, option, value, typical);
        assertThat(number(channel.config().getOption(option))).as("%s", parameter).isEqualTo(value);
        assertThat(channel.config().connectionConfig().value(parameter))
            .as("%s", parameter)
            .isEqualTo(parameter.ofUnit(value));
      }
      if (parameter.unit() != Unit.FLAG) {
        for (long value : new long[] {least - 1, most + 1}) {
          set(channel, option, value, typical);
          assertThatThrownBy(() -> channel.config().connectionConfig())
              .as("%s", parameter)
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageStartingWith(parameter.field() + "=" + parameter.ofUnit(value) + " must")
              .hasMessageEndingWith(".." + parameter.max());
        }
      }
    }
  }

  @Test
  void shouldHaveAParameterForEachOptionOfANumber() {
    Set<String> options = new TreeSet<>();
    HandshakeOptions.all().forEach(option -> options.add(option.name()));
    for (ConnectionParameter parameter : ConnectionParameter.configured()) {
      options.removeIf(option -> option.endsWith("#" + parameter.name()));
    }
    assertThat(options)
        .as("options of another type")
        .containsExactly(
            RtChannelOption.CONGESTION.name(),
            RtChannelOption.PROFILE.name(),
            RtChannelOption.PROFILE_PARAMETERS.name());
  }

  @Test
  void shouldShareWhatChannelsWithEqualOptionsWish() {
    RtChannel one = CLIENTS.newChannel();
    RtChannel other = CLIENTS.newChannel();
    assertThat(one.config().connectionConfig()).isSameAs(other.config().connectionConfig());
    other.config().setOption(RtChannelOption.ORDERED, false);
    assertThat(other.config().connectionConfig().isOrdered()).isFalse();
    assertThat(one.config().connectionConfig().isOrdered()).isTrue();
  }

  private static void set(RtChannel channel, ChannelOption<?> option, long value, Object like) {
    Object typed;
    if (like instanceof Boolean) {
      typed = value != 0;
    } else if (like instanceof Integer) {
      typed = (int) value;
    } else {
      typed = value;
    }
    channel.config().setOption(cast(option), typed);
  }

  @SuppressWarnings("unchecked") // its value is one of its own type
  private static ChannelOption<Object> cast(ChannelOption<?> option) {
    return (ChannelOption<Object>) option;
  }

  private static long number(Object value) {
    if (value instanceof Boolean flag) {
      return flag ? 1 : 0;
    }
    return ((Number) value).longValue();
  }
}
