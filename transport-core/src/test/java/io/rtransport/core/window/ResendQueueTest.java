package io.rtransport.core.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.cam.ContentAddressableMemory;
import io.rtransport.core.window.RetransmissionEngine.Resend;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ResendQueueTest {
  private final RetransmissionEngine engine =
      new RetransmissionEngine(
          new ContentAddressableMemory(64, 1),
          new RetransmissionStore(ByteBuffer.allocate(RetransmissionStore.BLOCK_BYTES)));
  private final ResendQueue queue = new ResendQueue(engine);

  @BeforeEach
  void sendSomething() {
    RetransmissionStore.Lease lease = engine.open(100);
    for (int psn = 0; psn < 5; psn++) {
      engine.commit(lease, 1, WindowClass.DATA, psn, engine.reserve(lease, 100), 100);
    }
  }

  private List<Integer> order() {
    List<Integer> slots = new ArrayList<>();
    for (int slot = queue.first(); slot != RetransmissionEngine.NONE; slot = queue.after(slot)) {
      slots.add(slot);
    }
    return slots;
  }

  @Test
  void shouldKeepLossesInOrderAndPutTimeoutsFirst() {
    queue.addLast(0, Resend.EARLY);
    queue.addLast(1, Resend.EARLY);
    queue.addFirst(2, Resend.TIMEOUT);
    queue.addLast(0, Resend.EARLY);
    assertThat(order()).containsExactly(2, 0, 1);
    queue.addFirst(1, Resend.TIMEOUT);
    assertThat(order()).containsExactly(1, 2, 0);
    assertThat(engine.pendingResend(1)).isEqualTo(Resend.TIMEOUT);
  }

  @Test
  void shouldLetGoOfFirstMiddleAndLast() {
    for (int slot = 0; slot < 5; slot++) {
      queue.addLast(slot, Resend.EARLY);
    }
    queue.remove(2);
    queue.remove(0);
    queue.remove(4);
    assertThat(order()).containsExactly(1, 3);
    assertThat(queue.contains(2)).isFalse();
    queue.remove(3);
    queue.remove(1);
    assertThat(queue.isEmpty()).isTrue();
    queue.addLast(2, Resend.EARLY);
    assertThat(order()).containsExactly(2);
  }
}
