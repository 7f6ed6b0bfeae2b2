package io.rtransport.core.window;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.rtransport.core.adp.AdpParameters;
import io.rtransport.core.adp.AdpTimer;
import io.rtransport.core.adp.BuiltInProfiles;
import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.cam.ContentAddressableMemory;
import io.rtransport.core.congestion.Aimd;
import io.rtransport.core.parameter.Agreement;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.wire.PacketTools;
import io.rtransport.core.wire.WindowClass;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** In the steady state, with losses, nothing is allocated: not a byte a packet. */
class WindowAllocationTest {
  private static final int LENGTH_MAX = 1_408;

  /** Records without end. */
  private static final class Endless implements RecordsAlone {
    private boolean isOpen = true;

    @Override
    public boolean hasRecords(WindowClass windowClass, long nowNs) {
      return isOpen;
    }

    @Override
    public int pullRecords(
        WindowClass windowClass, int psn, ByteBuffer to, int index, int limit, long nowNs) {
      if (!isOpen) {
        return 0;
      }
      to.putInt(index, limit - index);
      return limit - index;
    }
  }

  /** One end. What it sends lands in the other's inbound burst, or nowhere. */
  private static final class End {
    private final Counters counters = new Counters();
    private final Endless records = new Endless();
    private final PacketBurst out = new PacketBurst();
    private final PacketBurst in = new PacketBurst();
    private final ByteBuffer arena = ByteBuffer.allocate(PacketBurst.CAPACITY * LENGTH_MAX);
    private final ByteBuffer ack = ByteBuffer.allocate(512);
    private final WindowSublayer window;
    private int loss = 1;

    End(int cid, boolean isMtuDiscovered) {
      WindowConfig config =
          new WindowConfig(
              cid,
              3 - cid,
              9,
              new Agreement().datagramLengthBytes(LENGTH_MAX).ackDelayNsMax(1_000_000).make());
      RetransmissionEngine engine =
          new RetransmissionEngine(
              new ContentAddressableMemory(8_192, 1),
              new RetransmissionStore(
                  ByteBuffer.allocateDirect(256 * RetransmissionStore.BLOCK_BYTES)));
      AdpTimer adp =
          new AdpTimer(BuiltInProfiles.LAN, AdpParameters.DEFAULT, new SplittableRandom(cid));
      Path path = new Path(0, adp, new Aimd(LENGTH_MAX), config.ringCapacityMax());
      if (isMtuDiscovered) {
        path.mtu(PathMtuSearch.search(LENGTH_MAX, 256, LENGTH_MAX));
      }
      window =
          new WindowSublayer(
              config, engine, new ProbeBudget(), new Path[] {path}, new PacketTools(), counters);
    }

    /** Sends at most one burst, and an ACK if one is due. */
    void pump(End other, long nowNs) {
      if (window.nextDeadlineNs() <= nowNs) {
        window.onTimeout(nowNs);
      }
      out.clear();
      window.pollTransmit(out, records, 1, nowNs);
      for (int i = 0; i < out.count(); i++) {
        carry(other, out.buffer(i), out.offset(i), out.length(i));
      }
      int length = window.pollAck(ack, 0, nowNs);
      if (length > 0) {
        carry(other, ack, 0, length);
      }
    }

    private void carry(End other, ByteBuffer from, int offset, int length) {
      loss = loss * 1_103_515_245 + 12_345;
      if ((loss >>> 16) % 100 < 3) {
        return;
      }
      int at = other.in.count() * LENGTH_MAX;
      if (!other.in.isFull()) {
        other.arena.put(at, from, offset, length);
        other.in.add(other.arena, at, length, 0, PacketBurst.TRANSIENT);
      }
    }

    void receive(long nowNs) {
      if (in.count() > 0) {
        window.onBurst(in, nowNs);
        in.clear();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldAllocateNothingPerPacket(boolean isMtuDiscovered) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    End a = new End(1, isMtuDiscovered);
    End b = new End(2, isMtuDiscovered);
    long now = run(a, b, 0, 5_000);
    long packetsBefore = a.counters.value(CounterId.PACKETS_NUMBERED_SENT);
    long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
    run(a, b, now, 20_000);
    long allocated = threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
    long packets = a.counters.value(CounterId.PACKETS_NUMBERED_SENT) - packetsBefore;
    assertThat(packets).isGreaterThan(50_000);
    assertThat(a.counters.value(CounterId.RETRANSMITS_EARLY)).isGreaterThan(1_000);
    // The measuring itself costs a few hundred bytes.
    assertThat(allocated).as("bytes for %d packets", packets).isLessThan(4_096);
  }

  private static long run(End a, End b, long fromNs, int turns) {
    long now = fromNs;
    for (int turn = 0; turn < turns; turn++) {
      a.pump(b, now);
      b.pump(a, now);
      now += 20_000;
      a.receive(now);
      b.receive(now);
    }
    return now;
  }
}
