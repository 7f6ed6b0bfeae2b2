package io.rtransport.loadgen.impair;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** One direction through the proxy, on a loop whose timers come as late as the test likes. */
class ProxyDirectionTest {
  private final List<Integer> out = new ArrayList<>();
  private final DelayLine line = new DelayLine(new EmbeddedChannel().eventLoop());

  private ProxyDirection direction(Impairment impairment) {
    ProxyOutput output =
        new ProxyOutput() {
          @Override
          public void write(ByteBuf datagram) {
            out.add(datagram.readInt());
            datagram.release();
          }

          @Override
          public void flush() {}
        };
    return new ProxyDirection(new LinkModel(impairment, 3), line, output);
  }

  private static void send(ProxyDirection direction, int number, long nowNs) {
    ByteBuf datagram = Unpooled.copyInt(number);
    direction.onDatagram(datagram, nowNs);
    datagram.release();
  }

  @Test
  void shouldKeepTheOrderUnderJitterThoughTheTimerIsLate() {
    ProxyDirection direction = direction(new Impairment(0, 0, 1_000, 0, 0, 0, 0));
    for (int i = 0; i < 1_000; i++) {
      send(direction, i, i * 400L);
    }
    line.release(Long.MAX_VALUE);
    assertThat(out).hasSize(1_000).isSorted();
  }

  @Test
  void shouldLetADatagramPassTheOneThatIsReordered() {
    ProxyDirection direction = direction(new Impairment(0, 0, 0, 0.5, 0, 0, 0));
    for (int i = 0; i < 100; i++) {
      send(direction, i, i);
    }
    line.release(Long.MAX_VALUE);
    assertThat(out).hasSize(100).isNotEqualTo(out.stream().sorted().toList());
  }
}
