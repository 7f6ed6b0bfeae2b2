package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.rtransport.core.parameter.ConnectionParameter;
import io.rtransport.core.parameter.ParameterSpec.Unit;
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
      ChannelOption<?> option =
          (ChannelOption<?>) RtChannelOption.class.getField(parameter.name()).get(null);
      assertThat(HandshakeOptions.field(option)).as("%s", parameter).isNotNull();
      long most = parameter.toUnit(parameter.max());
      Object typical = channel.config().getOption(option);
      set(channel, option, most, typical);
      assertThat(number(channel.config().getOption(option))).as("%s", parameter).isEqualTo(most);
      assertThat(channel.config().connectionConfig().value(parameter))
          .as("%s", parameter)
          .isEqualTo(parameter.max());
      if (parameter.unit() != Unit.FLAG) {
        set(channel, option, most + 1, typical);
        assertThatThrownBy(() -> channel.config().connectionConfig())
            .as("%s", parameter)
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageStartingWith(parameter.field() + "=" + parameter.ofUnit(most + 1) + " must")
            .hasMessageEndingWith(".." + parameter.max());
      }
    }
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
