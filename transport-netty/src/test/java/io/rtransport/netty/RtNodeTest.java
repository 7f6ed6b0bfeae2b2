package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** Raises it by a byte only: the node is that of all tests of this JVM. What a raise does is {@code NodeBudgetTest}'s. */
class RtNodeTest {
  private static final long TEBIBYTE = 1L << 40;

  private final long now = RtNode.solicitationBudgetBytes();

  private void assertRefused(long bytes) {
    assertThatThrownBy(() -> RtNode.raiseSolicitationBudget(bytes))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("solicitationBudget=" + bytes + " must be 1.." + TEBIBYTE);
  }

  @Test
  void shouldRaiseByAByteAndNeverLower() {
    assertRefused(0);
    assertRefused(-1);
    RtNode.raiseSolicitationBudget(now + 1);
    RtNode.raiseSolicitationBudget(1);
    assertThat(RtNode.solicitationBudgetBytes()).isEqualTo(now + 1);
  }

  @Test
  void shouldTakeNoMoreThanATebibyte() {
    assertRefused(TEBIBYTE + 1);
    assertRefused(Long.MAX_VALUE);
  }
}
