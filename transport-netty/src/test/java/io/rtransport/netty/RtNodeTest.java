package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.rtransport.netty.internal.loop.LoopDrivers;
import io.rtransport.netty.node.RtNode;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Raises it by a byte only: the node is that of all tests of this JVM. What a raise does is {@code
 * NodeBudgetTest}'s.
 */
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
  void shouldRaiseTheCreditPoolByAByteAndNeverLower() {
    long pool = RtNode.creditPoolBytes();
    for (long bytes : new long[] {0, -1, TEBIBYTE + 1}) {
      assertThatThrownBy(() -> RtNode.raiseCreditPool(bytes))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("creditPool=" + bytes + " must be 1.." + TEBIBYTE);
    }
    RtNode.raiseCreditPool(pool + 1);
    RtNode.raiseCreditPool(1);
    assertThat(RtNode.creditPoolBytes()).isEqualTo(pool + 1);
  }

  @Test
  void shouldGiveEventLoopsFromThenOnAStoreOfThatSize() throws Exception {
    int bytes = RtNode.storeBytes();
    for (int other : new int[] {0, (2 << 20) - 1, (1 << 30) + 1}) {
      assertThatThrownBy(() -> RtNode.storeBytes(other))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("storeBytes=" + other + " must be 2097152..1073741824");
    }
    RtNode.storeBytes(2 << 20);
    EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    try {
      EventLoop loop = group.next();
      int bytesOfLoop = loop.submit(() -> LoopDrivers.of(loop).storeBytes().capacity()).get();
      assertThat(bytesOfLoop).isEqualTo(2 << 20);
    } finally {
      RtNode.storeBytes(bytes);
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }
  }

  @Test
  void shouldTakeNoMoreThanATebibyte() {
    assertRefused(TEBIBYTE + 1);
    assertRefused(Long.MAX_VALUE);
  }
}
