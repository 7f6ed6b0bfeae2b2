package io.rtransport.core.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.adp.AdpProfile;
import io.rtransport.core.adp.BuiltInProfiles;
import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.parameter.Agreement;
import io.rtransport.core.parameter.InitialNumbers;
import io.rtransport.core.wire.AckFlyweight;
import io.rtransport.core.wire.ClearHeaderFlyweight;
import io.rtransport.core.wire.NumberedHeaderFlyweight;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Two window sublayers without a network between them, and the packets that each has sent. */
abstract class WindowFixture {
  static final long MILLI = 1_000_000;
  static final long RTT_NS = MILLI;
  static final long START_NS = 1_000 * MILLI;
  static final long ACK_DELAY_NS = MILLI;

  final List<byte[]> fromA = new ArrayList<>();
  final List<byte[]> fromB = new ArrayList<>();
  final ToyHost a = host(1, 2, 64, BuiltInProfiles.LAN);
  final ToyHost b = host(2, 1, 64, BuiltInProfiles.LAN);

  ToyHost host(int cid, int peer, int window, AdpProfile profile) {
    return new ToyHost(
        config(cid, peer, window),
        16,
        4_096,
        profile,
        0,
        new SplittableRandom(cid),
        (from, packet, now) -> (cid == 1 ? fromA : fromB).add(packet));
  }

  static WindowConfig config(int cid, int peer, int window) {
    return new WindowConfig(
        cid,
        peer,
        99,
        new Agreement()
            .windows(window, window)
            .numbers(new InitialNumbers(-2, -3, 0, 0), new InitialNumbers(-2, -3, 0, 0))
            .ackDelayNsMax(ACK_DELAY_NS)
            .make());
  }

  void send(int packets, long nowNs) {
    for (int i = 0; i < packets; i++) {
      a.records.submit(WindowClass.DATA, 1_300);
    }
    a.pump(nowNs);
  }

  static NumberedHeaderFlyweight header(byte[] packet) {
    assertThat(PacketType.isNumbered(type(packet))).isTrue();
    return new NumberedHeaderFlyweight().wrap(ByteBuffer.wrap(packet), 0);
  }

  static int type(byte[] packet) {
    return new ClearHeaderFlyweight().wrap(ByteBuffer.wrap(packet), 0).type();
  }

  /** An ACK packet for a, checksum left out: the door has seen to that. */
  static ByteBuffer ack(int requestBase, int dataBase, int wordOffset, long... dataWords) {
    ByteBuffer packet = ByteBuffer.allocate(512);
    new ClearHeaderFlyweight().wrap(packet, 0).version(1).type(PacketType.ACK);
    AckFlyweight ack =
        new AckFlyweight()
            .wrap(packet, ClearHeaderFlyweight.HEADER_LENGTH)
            .requestBase(requestBase)
            .dataBase(dataBase)
            .requestWordCount(0)
            .dataWordCount(dataWords.length)
            .dataWordOffset(wordOffset)
            .pathCount(0);
    for (int i = 0; i < dataWords.length; i++) {
      ack.dataWord(i, dataWords[i]);
    }
    return packet;
  }

  static ByteBuffer withPath(ByteBuffer packet, int sequence, long heldMicros, int dups) {
    new AckFlyweight()
        .wrap(packet, ClearHeaderFlyweight.HEADER_LENGTH)
        .pathCount(1)
        .path(0, 3, sequence, heldMicros, dups);
    return packet;
  }

  boolean give(ByteBuffer packet, long nowNs) {
    PacketBurst burst = new PacketBurst();
    burst.add(packet, 0, packet.capacity(), 0, PacketBurst.TRANSIENT);
    a.window.onBurst(burst, nowNs);
    return !burst.isDropped(0);
  }
}
