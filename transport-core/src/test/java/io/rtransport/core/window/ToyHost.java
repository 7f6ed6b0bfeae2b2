package io.rtransport.core.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.adp.AdpParameters;
import io.rtransport.core.adp.AdpProfile;
import io.rtransport.core.adp.AdpTimer;
import io.rtransport.core.adp.BuiltInProfiles;
import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.cam.ContentAddressableMemory;
import io.rtransport.core.congestion.Aimd;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.wire.ClearHeaderFlyweight;
import io.rtransport.core.wire.NumberedHeaderFlyweight;
import io.rtransport.core.wire.PacketTools;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.RecordFlyweight;
import io.rtransport.core.wire.RecordType;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/** One end: a window sublayer, a toy source above it, and checks of everything that passes. */
final class ToyHost {
  /** Where packets go. */
  interface Wire {
    void send(ToyHost from, byte[] packet, long nowNs);
  }

  final ToyRecords records = new ToyRecords();
  final Counters counters = new Counters();
  final ContentAddressableMemory cam;
  final RetransmissionStore store;
  final RetransmissionEngine engine;
  final TurnLateness lateness = new TurnLateness();
  final ProbeBudget probes = new ProbeBudget();
  final Path path;
  final WindowSublayer window;

  /** Identities received, per window; and packet numbers. */
  private final BitSet[] ids = {new BitSet(), new BitSet()};

  private final List<Map<Integer, Boolean>> psns = List.of(new HashMap<>(), new HashMap<>());

  /** Records of each packet as first sent, to be compared with each resend. */
  private final List<Map<Integer, byte[]>> sent = List.of(new HashMap<>(), new HashMap<>());

  private final PacketTools tools = new PacketTools();
  private final PacketBurst in = new PacketBurst();
  private final PacketBurst out = new PacketBurst();
  private final ClearHeaderFlyweight clear = new ClearHeaderFlyweight();
  private final NumberedHeaderFlyweight header = new NumberedHeaderFlyweight();
  private final RecordFlyweight record = new RecordFlyweight();
  private final Wire wire;
  boolean hasLinkRoom = true;
  int paddedPackets;
  int ackBlocks;

  ToyHost(
      WindowConfig config,
      int storeBlocks,
      int slots,
      AdpProfile profile,
      int firstTransmission,
      RandomGenerator random,
      Wire wire) {
    cam = new ContentAddressableMemory(slots, random.nextLong());
    store =
        new RetransmissionStore(
            ByteBuffer.allocateDirect(storeBlocks * RetransmissionStore.BLOCK_BYTES));
    engine = new RetransmissionEngine(cam, store);
    path =
        new Path(
            3,
            new AdpTimer(profile, AdpParameters.DEFAULT, random),
            new Aimd(config.packetLengthMax()),
            lateness,
            config.ringCapacityMax(),
            firstTransmission);
    window = new WindowSublayer(config, engine, probes, new Path[] {path}, tools, counters);
    this.wire = wire;
  }

  static ToyHost plain(WindowConfig config, RandomGenerator random, Wire wire) {
    return new ToyHost(config, 16, 4_096, BuiltInProfiles.LAN, 0, random, wire);
  }

  /** A read batch comes in; then the pump. */
  void receive(List<byte[]> packets, long nowNs) {
    for (int from = 0; from < packets.size(); from += PacketBurst.CAPACITY) {
      in.clear();
      for (byte[] packet :
          packets.subList(from, Math.min(packets.size(), from + PacketBurst.CAPACITY))) {
        in.add(ByteBuffer.wrap(packet), 0, packet.length, 0, PacketBurst.TRANSIENT);
      }
      window.onBurst(in, nowNs);
      for (int i = 0; i < in.count(); i++) {
        if (!in.isDropped(i)) {
          deliver(in.buffer(i), in.length(i));
        }
      }
    }
    pump(nowNs);
  }

  private void deliver(ByteBuffer packet, int length) {
    int type = clear.wrap(packet, 0).type();
    if (!PacketType.isNumbered(type)) {
      return;
    }
    int space = PacketType.windowClass(type).ordinal();
    header.wrap(packet, 0);
    assertThat(psns.get(space).put(header.psn(), true)).as("psn handed up twice").isNull();
    int at = header.recordsOffset();
    int count = 0;
    while (at < header.recordsEnd(length)) {
      record.wrap(packet, at);
      if (record.type() != RecordType.PAD) {
        long id = packet.getLong(at + RecordFlyweight.HEADER_LENGTH);
        assertThat(ids[space].get((int) id)).as("record %d handed up twice", id).isFalse();
        ids[space].set((int) id);
        for (int i = ToyRecords.LENGTH_MIN; i < record.length(); i++) {
          if (packet.get(at + i) != ToyRecords.filling(id, i)) {
            throw new AssertionError("record " + id + " differs at " + i);
          }
        }
      } else {
        paddedPackets++;
      }
      at += record.length();
      count++;
    }
    assertThat(at).isEqualTo(header.recordsEnd(length));
    assertThat(count).isEqualTo(header.recordCount());
  }

  void pump(long nowNs) {
    while (true) {
      out.clear();
      window.pollTransmit(out, records, hasLinkRoom ? 1 : 0, nowNs);
      if (out.count() == 0) {
        break;
      }
      for (int i = 0; i < out.count(); i++) {
        byte[] packet = new byte[out.length(i)];
        out.buffer(i).get(out.offset(i), packet);
        check(packet);
        wire.send(this, packet, nowNs);
      }
    }
    ByteBuffer ack = ByteBuffer.allocate(512);
    while (window.hasAckDue(nowNs)) {
      int length = window.pollAck(ack, 0, nowNs);
      byte[] packet = Arrays.copyOf(ack.array(), length);
      check(packet);
      wire.send(this, packet, nowNs);
    }
  }

  void onTimeout(long nowNs) {
    window.onTimeout(nowNs);
    pump(nowNs);
  }

  private void check(byte[] packet) {
    ByteBuffer buffer = ByteBuffer.wrap(packet);
    assertThat(tools.integrity().verify(buffer, 0, packet.length)).as("checksum").isTrue();
    assertThat(clear.wrap(buffer, 0).length()).isEqualTo(packet.length);
    if (!PacketType.isNumbered(clear.type())) {
      return;
    }
    header.wrap(buffer, 0);
    ackBlocks += header.hasAckBlock() ? 1 : 0;
    byte[] bytes =
        Arrays.copyOfRange(packet, header.recordsOffset(), header.recordsEnd(packet.length));
    int space = PacketType.windowClass(clear.type()).ordinal();
    byte[] first = sent.get(space).putIfAbsent(header.psn(), bytes);
    if (first != null && count(CounterId.PACKETS_SHORTENED) == 0) {
      assertThat(bytes).as("records of a resend").isEqualTo(first);
    } else if (first != null) {
      assertThat(first).as("records of a resend").startsWith(bytes);
    }
  }

  int received(WindowClass windowClass) {
    return ids[windowClass.ordinal()].cardinality();
  }

  long count(CounterId id) {
    return counters.value(id);
  }

  void assertEmpty() {
    assertThat(window.isIdle()).as("idle").isTrue();
    assertThat(window.nextDeadlineNs()).as("nothing armed").isEqualTo(Long.MAX_VALUE);
    assertThat(cam.size()).as("CAM entries").isZero();
    assertThat(engine.inFlightCount()).as("slots").isZero();
    assertThat(store.freeUnits()).as("free units").isEqualTo(store.unitCount());
    assertThat(path.inFlightBytes()).as("bytes in flight").isZero();
    assertThat(path.unacknowledgedCount()).isZero();
  }

  /** Bytes of {@code lengths}, for a view of what a host sent. */
  static List<byte[]> take(List<byte[]> packets) {
    List<byte[]> taken = new ArrayList<>(packets);
    packets.clear();
    return taken;
  }
}
