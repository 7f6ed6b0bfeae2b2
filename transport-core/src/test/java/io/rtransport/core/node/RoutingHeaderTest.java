package io.rtransport.core.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rtransport.core.outcome.MessageStatus;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RoutingHeaderTest {
  private static final NodeHeader ROUTED =
      new NodeHeader(MessageKind.PUT, true, 8, 1, 300, 299, 7, new RoutingHeader("beta", "alpha"));

  @Test
  void shouldStandBetweenTheHeaderAndTheApplications() {
    byte[] bytes = ROUTED.before("own".getBytes(UTF_8));
    assertThat(bytes[2]).isEqualTo((byte) 3);
    assertThat(new String(bytes, NodeHeader.LENGTH, bytes.length - NodeHeader.LENGTH, UTF_8))
        .isEqualTo("\u0004beta\u0005alphaown");
    assertThat(NodeHeader.read(bytes)).isEqualTo(ROUTED);
    assertThat(NodeHeader.read(ROUTED.forwarded().before(new byte[0])).hopsLeft()).isEqualTo(7);
  }

  @Test
  void shouldHave128BytesAtMost() {
    String longest = "n".repeat(RoutingHeader.NAME_LENGTH_MAX);
    NodeHeader header =
        new NodeHeader(MessageKind.GET, false, 8, 1, 1, 1, 0, new RoutingHeader(longest, longest));
    assertThat(header.lengthBytes()).isEqualTo(128);
    assertThat(NodeHeader.read(header.before(new byte[0]))).isEqualTo(header);
    assertThatThrownBy(() -> new RoutingHeader(longest + "n", "a"))
        .hasMessageContaining("destination=")
        .hasMessageContaining("1..45");
    assertThatThrownBy(() -> new RoutingHeader("a", "")).hasMessageContaining("origin=");
  }

  @Test
  void shouldReadNothingElseAndNeverThrow() {
    byte[] valid = ROUTED.before(new byte[0]);
    for (int length = 0; length < valid.length; length++) {
      assertThat(NodeHeader.read(Arrays.copyOf(valid, length))).as("cut at %d", length).isNull();
    }
    SplittableRandom random = new SplittableRandom(7);
    int read = 0;
    for (int i = 0; i < 100_000; i++) {
      byte[] bytes = valid.clone();
      for (int j = random.nextInt(1, 4); j > 0; j--) {
        bytes[random.nextInt(NodeHeader.LENGTH, bytes.length)] = (byte) random.nextInt();
      }
      NodeHeader header = NodeHeader.read(bytes);
      if (header != null) {
        read++;
        int own = header.lengthBytes();
        assertThat(header.before(Arrays.copyOfRange(bytes, own, bytes.length))).isEqualTo(bytes);
      }
    }
    assertThat(read).isBetween(1, 99_999);
  }

  @Test
  void shouldTellCodesOfNodesFromThoseOfApplications() {
    for (NodeCode code : NodeCode.values()) {
      assertThat(NodeCode.of(code.value())).isEqualTo(code);
      assertThat(NodeCode.of(code.value() & Integer.MAX_VALUE)).isEqualTo(code);
    }
    assertThat(NodeCode.of(0)).isNull();
    assertThat(NodeCode.of(NodeCode.APPLICATION_CODE_MAX)).isNull();
  }

  @Test
  void shouldBeDueAtOnceAndUncountedIfARouterHasNoWay() {
    PendingMessage message = new PendingMessage(MessageKind.PUT, false, 1_000, 0, 100, 0);
    message.onSent(7);
    message.onNoWay(50);
    assertThat(message.status()).isNull();
    assertThat(message.attempts()).isZero();
    assertThat(message.maySend(8, 50)).isTrue();
    message.onTime(1_000);
    assertThat(message.status()).isEqualTo(MessageStatus.NOT_EXECUTED);
  }
}
