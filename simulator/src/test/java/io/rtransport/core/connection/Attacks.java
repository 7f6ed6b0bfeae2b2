package io.rtransport.core.connection;

import io.rtransport.core.connection.GoodputWorld.Attack;
import io.rtransport.core.parameter.InitialNumbers;
import io.rtransport.core.wire.Integrity;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.WindowClass;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;

/**
 * The rows of docs/reference/threat-model.md that a host can be flooded with: by strangers, by
 * somebody on the way, and by a peer of its own.
 */
final class Attacks {
  private Attacks() {}

  /** Each row's name, and a fresh attack. */
  static Map<String, Supplier<Attack>> all() {
    Map<String, Supplier<Attack>> rows = new LinkedHashMap<>();
    rows.put("forged CONNECTs", ForgedConnects::new);
    rows.put("half-open pile-up, every RETRY answered", PiledUp::new);
    rows.put("one CONNECT again and again", () -> new Stranger(Stranger::sameConnect));
    rows.put("CONNECTs of another version", () -> new Stranger(Stranger::otherVersion));
    rows.put(
        "every type and length to ids that nobody has", () -> new Stranger(Stranger::anything));
    rows.put("random bytes, empty and oversized datagrams", () -> new Stranger(Stranger::garbage));
    rows.put("the honest client's id, cookies guessed", () -> new Stranger(Stranger::guess));
    rows.put("forged RESETs", () -> new Stranger(Stranger::reset));
    rows.put("the honest client's packets replayed", () -> new Replayed(false));
    rows.put("the same from other addresses", () -> new Replayed(true));
    rows.put("handshakes confirmed and left", Churned::new);
    rows.put("PINGs", () -> new Peer(Peer::ping));
    rows.put("PATH_CHALLENGEs", () -> new Peer(Peer::challenge));
    rows.put("acknowledgements with the largest bitmaps", () -> new Peer(Peer::bitmap));
    rows.put("255 records a packet", () -> new Peer(Peer::recordBomb));
    rows.put("every second packet left out", () -> new Peer(Peer::gapBomb));
    rows.put("packets beyond the window", () -> new Peer(Peer::beyondTheWindow));
    rows.put("messages begun and never finished", () -> new Peer(Peer::unfinished));
    rows.put("grants asked for and never used", () -> new Peer(Peer::unusedGrants));
    rows.put("solicited messages byte by byte", () -> new Peer(Peer::byteByByte));
    rows.put("pulls whose answers are not acknowledged", () -> new Peer(Peer::pulls));
    rows.put("pulls, and ACKs that leave out the first packet", () -> new Peer(Peer::forgedGaps));
    rows.put("empty messages, no completion acknowledged", () -> new Peer(Peer::withheldAcks));
    rows.put("CANCELs of what never was", () -> new Peer(Peer::cancels));
    return rows;
  }

  private static InetSocketAddress place(int n) {
    return Knocks.address(0x0A50_0000 + n % 60_000, 1_024 + n % 50_000);
  }

  // ------------------------------------------------------------------ strangers

  private static final class ForgedConnects implements Attack {
    final Knocks knocks = new Knocks(1);

    @Override
    public void strike(GoodputWorld world, int n) {
      world.send(knocks.anywhere(), knocks.connect(null));
    }
  }

  private static final class PiledUp implements Attack {
    final Knocks knocks = new Knocks(2);
    byte[] proven;
    InetSocketAddress prover;

    @Override
    public void strike(GoodputWorld world, int n) {
      if (proven == null) {
        world.send(knocks.inOneNetwork(), knocks.connect(null));
      } else {
        world.send(prover, knocks.connect(proven));
        proven = null;
      }
    }

    @Override
    public void onAnswer(GoodputWorld world, InetSocketAddress to, byte[] packet) {
      if ((packet[1] & 0x1F) == PacketType.RETRY) {
        proven = Knocks.token(packet);
        prover = to;
      }
    }
  }

  /** One kind of packet, from somewhere else each time. */
  private static final class Stranger implements Attack {
    interface Kind {
      byte[] packet(Stranger stranger, GoodputWorld world, int n);
    }

    final Knocks knocks = new Knocks(3);
    final Random random = new Random(4);
    final byte[] same = knocks.connect(null);
    final Kind kind;

    Stranger(Kind kind) {
      this.kind = kind;
    }

    @Override
    public void strike(GoodputWorld world, int n) {
      byte[] packet = kind.packet(this, world, n);
      world.send(packet == same ? place(1) : place(n), packet);
    }

    byte[] sameConnect(GoodputWorld world, int n) {
      return same;
    }

    byte[] otherVersion(GoodputWorld world, int n) {
      return knocks.connectOfVersion(2 + n % 200);
    }

    byte[] anything(GoodputWorld world, int n) {
      int type = 1 + n % PacketType.VERSION_NEGOTIATION;
      return knocks.packet(type, 0x0077_7700 | n & 0xFF, 20 + random.nextInt(1_300));
    }

    byte[] garbage(GoodputWorld world, int n) {
      byte[] bytes = new byte[n % 4 == 0 ? 0 : n % 4 == 1 ? 9_000 : random.nextInt(1_400)];
      random.nextBytes(bytes);
      return bytes;
    }

    byte[] guess(GoodputWorld world, int n) {
      byte[] packet = world.captured.get(world.captured.size() - 1).clone();
      ByteBuffer.wrap(packet).putLong(8, random.nextLong());
      return Knocks.sealed(packet);
    }

    byte[] reset(GoodputWorld world, int n) {
      ByteBuffer packet = ByteBuffer.allocate(32);
      packet.put((byte) 1).put((byte) PacketType.RESET).putShort((short) 32);
      packet.putInt(16, random.nextInt()).putLong(20, random.nextLong());
      return Knocks.sealed(packet.array());
    }
  }

  /** Somebody who has seen what the client sends. */
  private static final class Replayed implements Attack {
    final Random random = new Random(5);
    final boolean isFromElsewhere;

    Replayed(boolean isFromElsewhere) {
      this.isFromElsewhere = isFromElsewhere;
    }

    @Override
    public void strike(GoodputWorld world, int n) {
      byte[] packet = world.captured.get(random.nextInt(world.captured.size()));
      world.send(isFromElsewhere ? place(n) : GoodputWorld.CLIENT, packet);
    }
  }

  /** Sets up connections properly and never uses them. */
  private static final class Churned implements Attack {
    final Knocks knocks = new Knocks(6);

    private final ArrayDeque<Runnable> confirmations = new ArrayDeque<>();

    @Override
    public void strike(GoodputWorld world, int n) {
      Runnable confirmation = confirmations.poll();
      if (confirmation == null) {
        world.send(place(n), knocks.connect(null));
      } else {
        confirmation.run();
      }
    }

    @Override
    public void onAnswer(GoodputWorld world, InetSocketAddress to, byte[] packet) {
      if (isAccept(packet)) { // others need no answer, and cost no turn
        confirmations.add(() -> confirm(world, knocks, to, packet));
      }
    }
  }

  private static boolean isAccept(byte[] packet) {
    return (packet[1] & 0x1F) == PacketType.ACCEPT;
  }

  private static void confirm(
      GoodputWorld world, Knocks knocks, InetSocketAddress to, byte[] packet) {
    if (isAccept(packet)) {
      ByteBuffer accept = ByteBuffer.wrap(packet);
      world.send(to, knocks.ping(accept.getInt(32), accept.getLong(40)));
    }
  }

  // ------------------------------------------------------------------ a peer

  /** Has a connection of its own, and keeps to no more than the form. */
  private static final class Peer implements Attack {
    interface Kind {
      byte[] packet(Peer peer, int n);
    }

    private static final InetSocketAddress PLACE = Knocks.address(0x0A60_0001, 7_777);

    final Knocks knocks = new Knocks(7);
    final Integrity integrity = new Integrity();
    final ByteBuffer packet = ByteBuffer.allocate(1_408);
    final Kind kind;
    Connection target;
    int requestPsn;
    int dataPsn;
    int sequence;
    int begun;

    Peer(Kind kind) {
      this.kind = kind;
    }

    @Override
    public void begin(GoodputWorld world) {
      world.send(PLACE, knocks.connect(null));
    }

    @Override
    public void onAnswer(GoodputWorld world, InetSocketAddress to, byte[] answer) {
      confirm(world, knocks, to, answer);
    }

    @Override
    public void strike(GoodputWorld world, int n) {
      if (target == null && world.accepted.containsKey(PLACE)) {
        target = world.accepted.get(PLACE);
        requestPsn = target.window().receivedBase(WindowClass.REQUEST);
        dataPsn = target.window().receivedBase(WindowClass.DATA);
      }
      if (target != null) { // what was ended for it goes on from outside
        byte[] next = target.isEstablished() ? kind.packet(this, n) : ping(n);
        if (next != null) {
          world.send(PLACE, next);
        }
      }
    }

    byte[] ping(int n) {
      return knocks.ping(target.cid(), target.cookie());
    }

    byte[] challenge(int n) {
      return knocks.pathData(PacketType.PATH_CHALLENGE, target.cid(), target.cookie(), n);
    }

    byte[] bitmap(int n) {
      clear(PacketType.ACK);
      packet.putInt(base(WindowClass.REQUEST)).putInt(base(WindowClass.DATA));
      packet.put((byte) 3).put((byte) 16).put((byte) 16).put((byte) 8).putInt(0).putLong(0);
      for (int i = 0; i < 32; i++) {
        boolean isFirst = i % 16 == 0;
        int psn = i < 16 ? base(WindowClass.REQUEST) : base(WindowClass.DATA);
        packet.putLong(isFirst ? (1L << (psn & 63)) - 1 : 0);
      }
      for (int i = 0; i < 8; i++) {
        packet.putInt(i << 24).putInt(-1).putInt(n);
      }
      return seal();
    }

    byte[] recordBomb(int n) {
      data(dataPsn++, true);
      for (int i = 0; i < 255; i++) {
        packet.putInt(4); // PAD, of no more than its own head
      }
      return records(255);
    }

    byte[] gapBomb(int n) {
      int window = target.agreed().rx().dataWindow();
      data(dataPsn + 1 + 2 * (n % (window / 2 - 1)), true);
      return records(0);
    }

    byte[] beyondTheWindow(int n) {
      data(dataPsn + target.agreed().rx().dataWindow() + n % 1_000, true);
      return records(0);
    }

    byte[] unfinished(int n) {
      int at = n % 12; // what the credit pays for, again and again
      data(dataPsn++, true);
      int rsn = target.agreed().rxNumbers().rsn() + at;
      packet.put((byte) 0x13).put((byte) 0).putShort((short) 26);
      packet.putInt(rsn).putInt(500).putInt(1_000).put(new byte[10]);
      return records(1);
    }

    byte[] unusedGrants(int n) {
      return begun < 4_000 ? request(1 << 20) : ping(n);
    }

    byte[] byteByByte(int n) {
      if (begun < 64) {
        return request(1 << 20);
      }
      data(dataPsn++, true);
      // The first message has its grant by now.
      packet.put((byte) 0x12).put((byte) 0).putShort((short) 13);
      packet.putInt(target.agreed().rxNumbers().rsn()).putInt(2 * (n % 60_000)).put((byte) 0);
      return records(1);
    }

    private byte[] request(int length) {
      InitialNumbers first = target.agreed().rxNumbers();
      numbered(PacketType.REQUEST, requestPsn++, true);
      packet.put((byte) 0x01).put((byte) 0).putShort((short) 16);
      packet.putInt(first.rsn() + begun).putInt(first.ssn() + begun).putInt(length);
      begun++;
      return records(1);
    }

    byte[] pulls(int n) {
      if (begun >= 4_000) {
        return ping(n);
      }
      numbered(PacketType.REQUEST, requestPsn++, false);
      packet.put((byte) 0x02).put((byte) 0).putShort((short) 16);
      packet.putInt(target.agreed().rxNumbers().rsn() + begun++);
      packet.putInt(1 << 30).putInt(64 << 10);
      return records(1);
    }

    byte[] forgedGaps(int n) {
      if (n % 8 == 0) {
        return pulls(n);
      }
      int base = base(WindowClass.DATA);
      int next = target.window().nextPsn(WindowClass.DATA);
      clear(PacketType.ACK);
      packet.putInt(base(WindowClass.REQUEST)).putInt(base);
      packet.put((byte) 0).put((byte) 0).put((byte) 16).put((byte) 1).putInt(0).putLong(0);
      for (int k = 0; k < 16; k++) {
        long word = 0;
        for (int bit = 0; bit < 64; bit++) {
          int psn = (base & ~63) + 64 * k + bit;
          boolean isSaid = psn - base != 0 && psn - next < 0;
          word |= isSaid ? 1L << bit : 0;
        }
        packet.putLong(word);
      }
      packet.putInt(target.window().nextPsn(WindowClass.DATA) & 0xFF_FFFF).putInt(-1).putInt(0);
      return seal();
    }

    byte[] withheldAcks(int n) {
      if (begun >= 12_000) {
        return ping(n);
      }
      data(dataPsn++, false);
      packet.put((byte) 0x13).put((byte) 1).putShort((short) 8);
      packet.putInt(target.agreed().rxNumbers().rsn() + begun++);
      return records(1);
    }

    byte[] cancels(int n) {
      data(dataPsn++, false);
      packet.put((byte) 0x17).put((byte) 0).putShort((short) 8);
      packet.putInt(target.agreed().rxNumbers().rsn() + n % 20_000);
      return records(1);
    }

    private int base(WindowClass windowClass) {
      return target.window().acknowledgedBase(windowClass);
    }

    private void data(int psn, boolean isAcknowledging) {
      numbered(PacketType.DATA, psn, isAcknowledging);
    }

    private void numbered(int type, int psn, boolean isAcknowledging) {
      clear(type);
      packet.putInt(psn);
      for (WindowClass each : WindowClass.values()) {
        packet.putInt(isAcknowledging ? target.window().nextPsn(each) : base(each));
      }
      packet.putInt(sequence++ & 0xFF_FFFF).putInt(0);
    }

    private void clear(int type) {
      packet.clear().put((byte) 1).put((byte) type).putShort((short) 0);
      packet.putInt(target.cid()).putLong(target.cookie());
    }

    private byte[] records(int count) {
      packet.put(33, (byte) count);
      return seal();
    }

    private byte[] seal() {
      int length = packet.position() + Integrity.TRAILER_LENGTH;
      packet.putShort(2, (short) length);
      integrity.seal(packet, 0, length);
      return Arrays.copyOf(packet.array(), length);
    }
  }
}
