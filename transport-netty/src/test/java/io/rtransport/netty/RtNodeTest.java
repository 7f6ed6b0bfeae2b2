package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** Raises nothing: the node is that of all tests of this JVM. What a raise does is {@code NodeBudgetTest}'s. */
class RtNodeTest {
  private static final long TEBIBYTE = 1L << 40;

  private final long now = RtNode.solicitationBudgetBytes();

  private void assertRefused(long bytes) {
    assertThatThrownBy(() -> RtNode.raiseSolicitationBudget(bytes))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("solicitationBudget=" + bytes + " must be " + now + ".." + TEBIBYTE);
  }

  @Test
  void shouldTakeNoLessThanThereIs() {
    assertRefused(now - 1);
    assertRefused(-1);
    assertThatCode(() -> RtNode.raiseSolicitationBudget(now)).doesNotThrowAnyException();
    assertThat(RtNode.solicitationBudgetBytes()).isEqualTo(now);
  }

  @Test
  void shouldTakeNoMoreThanATebibyte() {
    assertRefused(TEBIBYTE + 1);
    assertRefused(Long.MAX_VALUE);
  }
}
