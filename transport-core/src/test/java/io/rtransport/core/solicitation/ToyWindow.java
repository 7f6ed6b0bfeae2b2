package io.rtransport.core.solicitation;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.window.AcknowledgementView;
import io.rtransport.core.window.RecordSource;
import io.rtransport.core.wire.AckFlyweight;
import io.rtransport.core.wire.NumberedHeaderFlyweight;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * A window that loses nothing and repeats nothing, but hands packets up in whatever order the
 * random source likes.
 */
final class ToyWindow implements AcknowledgementView {
  private static final int HINTS =
      NumberedHeaderFlyweight.FLAG_COMPLETED_RSN_HINT | NumberedHeaderFlyweight.FLAG_CREDIT_HINT;

  private record Packet(ByteBuffer bytes, WindowClass windowClass, int psn) {}

  private final RandomGenerator random;
  private final int datagramLength;
  private final int flightMax;
  private final int[] nextPsn = {-3, -5};
  private final List<Packet> inFlight = new ArrayList<>();
  private final List<Packet> arrived = new ArrayList<>();
  private final Set<Long> acknowledged = new HashSet<>();
  private int records;

  ToyWindow(RandomGenerator random, int datagramLength, int flightMax) {
    this.random = random;
    this.datagramLength = datagramLength;
    this.flightMax = flightMax;
  }

  /** Pulls packets from {@code source} while it has any and there is room. Answers how many. */
  int pump(RecordSource source, long nowNs) {
    int count = 0;
    for (WindowClass windowClass : WindowClass.values()) {
      while (inFlight.size() + arrived.size() < flightMax
          && source.hasRecords(windowClass, nowNs)
          && pull(source, windowClass, nowNs)) {
        count++;
      }
    }
    return count;
  }

  private boolean pull(RecordSource source, WindowClass windowClass, long nowNs) {
    ByteBuffer bytes = ByteBuffer.allocate(datagramLength);
    int psn = nextPsn[windowClass.ordinal()];
    NumberedHeaderFlyweight header = new NumberedHeaderFlyweight().wrap(bytes, 0);
    bytes.put(0, (byte) 1).put(1, (byte) PacketType.of(windowClass));
    header.psn(psn).flags(random.nextInt(4) == 0 ? HINTS : 0);
    if (header.flags() != 0) {
      header
          .completedRsnHint(source.completedRsnHint())
          .creditHint((int) source.creditLimitBytes());
    }
    int index = header.recordsOffset();
    int length = source.pullRecords(windowClass, psn, bytes, index, datagramLength - 16, nowNs);
    if (length == 0) {
      return false;
    }
    nextPsn[windowClass.ordinal()]++;
    records += source.pulledRecordCount();
    header.recordCount(source.pulledRecordCount());
    bytes.limit(index + length + 4);
    inFlight.add(new Packet(bytes, windowClass, psn));
    return true;
  }

  /** The first packet in flight is lost: answers what finds it again. */
  Runnable lose() {
    Packet lost = inFlight.remove(0);
    return () -> inFlight.add(lost);
  }

  /** Moves up to {@code most} packets in flight, in random order, into a burst. */
  void deliver(PacketBurst burst, int most, boolean inOrder) {
    for (int i = 0; i < most && !inFlight.isEmpty() && !burst.isFull(); i++) {
      Packet packet = inFlight.remove(inOrder ? 0 : random.nextInt(inFlight.size()));
      burst.add(packet.bytes(), 0, packet.bytes().limit(), 0, PacketBurst.TRANSIENT);
      arrived.add(packet);
    }
  }

  /** Some of what arrived is now known to have arrived. */
  void acknowledge(RecordSource source, long nowNs) {
    for (int i = random.nextInt(1 + arrived.size()); i >= 0 && !arrived.isEmpty(); i--) {
      Packet packet = arrived.remove(random.nextInt(arrived.size()));
      acknowledged.add(key(packet.windowClass(), packet.psn()));
    }
    source.onAcknowledged(this, nowNs);
  }

  /** An ACK packet that says nothing but the credit limit. */
  static void addAck(PacketBurst burst, long creditLimitBytes) {
    ByteBuffer bytes = ByteBuffer.allocate(16 + AckFlyweight.FIXED_LENGTH + 4);
    bytes.put(0, (byte) 1).put(1, (byte) PacketType.ACK);
    new AckFlyweight().wrap(bytes, 16).creditLimit(creditLimitBytes);
    burst.add(bytes, 0, bytes.capacity(), 0, PacketBurst.TRANSIENT);
  }

  private static long key(WindowClass windowClass, int psn) {
    return (long) windowClass.ordinal() << 32 | (psn & 0xFFFF_FFFFL);
  }

  @Override
  public boolean isAcknowledged(WindowClass windowClass, int psn) {
    return acknowledged.contains(key(windowClass, psn));
  }

  @Override
  public boolean isAcknowledgedThrough(WindowClass windowClass, int psn) {
    return isAcknowledged(windowClass, psn)
        && Stream.concat(inFlight.stream(), arrived.stream())
            .noneMatch(p -> p.windowClass() == windowClass && p.psn() - psn < 0);
  }

  @Override
  public boolean isAllAcknowledged() {
    return inFlight.isEmpty() && arrived.isEmpty();
  }

  int inFlight() {
    return inFlight.size();
  }

  int records() {
    return records;
  }
}
