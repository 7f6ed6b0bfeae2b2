package io.rtransport.core.connection;

import static io.rtransport.core.connection.FuzzApplication.require;

import io.rtransport.core.connection.FuzzWorld.Flying;
import io.rtransport.core.fuzz.FuzzInput;
import io.rtransport.core.parameter.AgreedParameters;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.wire.Integrity;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.TlvWriter;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Set-up from both sides. Strangers at a dozen addresses knock with any parameters, show tokens,
 * their own and others', confirm, and send what else they like; our own CONNECT is answered by
 * anything. Half-open handshakes are bounded, nobody is sent more than three times his bytes,
 * nobody becomes a connection without the cookie that only our ACCEPT told, and what is agreed lies
 * within what both said.
 */
public final class HandshakeFuzz {
  private static final int STEPS_MAX = 120;
  private static final int PACKET_LENGTH_MAX = 1_400;
  private static final int TOKEN = 2;

  private final FuzzInput input;
  private final FuzzWorld world = new FuzzWorld(true);
  private final Integrity integrity = new Integrity();
  private final List<Flying> accepts = new ArrayList<>();
  private final List<Flying> connects = new ArrayList<>();
  private final List<byte[]> tokens = new ArrayList<>();
  private final List<Integer> confirmed = new ArrayList<>();
  private byte[] lastKnock;

  private HandshakeFuzz(FuzzInput input) {
    this.input = input;
  }

  /** Steps. */
  public static void fuzzerTestOneInput(byte[] data) {
    new HandshakeFuzz(new FuzzInput(data)).run();
  }

  private void run() {
    for (int i = 0; i < STEPS_MAX && input.hasMore(); i++) {
      step();
      for (Flying sent = world.ours.sent.poll(); sent != null; sent = world.ours.sent.poll()) {
        onSent(sent);
      }
      check();
    }
    world.end(world.ours);
  }

  private void onSent(Flying sent) {
    switch (sent.type()) {
      case PacketType.ACCEPT -> accepts.add(sent);
      case PacketType.CONNECT -> connects.add(sent);
      case PacketType.RETRY -> {
        int length = ByteBuffer.wrap(sent.bytes()).getShort(24);
        tokens.add(Arrays.copyOfRange(sent.bytes(), 28, 28 + length));
      }
      default -> {
        // answers of no use to a stranger
      }
    }
  }

  private void step() {
    switch (input.below(12)) {
      case 0, 1, 2 -> arrive(lastKnock = connect(), address());
      case 3 -> {
        if (lastKnock != null) {
          arrive(lastKnock, address());
        }
      }
      case 4, 5 -> confirm();
      case 6 -> {
        if (connects.size() < 8) {
          world.ours.connect(Knocks.address(0x0A01_0000 + connects.size(), 9));
        }
      }
      case 7, 8, 9 -> answer();
      case 10 -> {
        byte[] body = input.bytes(input.u8());
        ByteBuffer packet = begin(1 + input.below(16), input.i32(), input.i64());
        arrive(seal(packet.put(body)), address());
      }
      default -> world.pass((long) input.u8() * 50_000_000);
    }
  }

  // ------------------------------------------------------------------ strangers

  private InetSocketAddress address() {
    int which = input.below(12);
    // Half of them are in one network.
    return Knocks.address(which < 6 ? 0x0A42_0000 + which : which << 24 | 9, 1 + (which & 3));
  }

  private void arrive(byte[] packet, InetSocketAddress from) {
    world.ours.arrive(packet, from);
  }

  private byte[] connect() {
    ByteBuffer packet = begin(PacketType.CONNECT, 0, 0);
    packet.putLong(input.u8()).putLong(input.below(3)).putInt(1 + input.below(4));
    packet.put((byte) input.below(4)).put((byte) 0).putShort((short) 0).putLong(77);
    parameters(packet);
    int padding = Limits.CONNECT_LENGTH_MIN - Integrity.TRAILER_LENGTH - packet.position();
    packet.put(new byte[Math.max(0, padding)]);
    if (input.below(16) == 15) {
      packet.put(0, (byte) 2); // of another version
    }
    return seal(packet);
  }

  /** A good offer, and behind it, or instead of it, what the fuzzer likes. */
  private void parameters(ByteBuffer packet) {
    int from = packet.position();
    if (input.below(8) != 7) {
      TlvWriter writer = new TlvWriter().wrap(packet, from, packet.capacity());
      world.ours.node.endpoint().offer(world.ours.config).write(writer);
      packet.position(from + writer.length());
    }
    for (int count = input.below(4); count > 0; count--) {
      switch (input.below(4)) {
        case 0 -> parameter(packet, input.below(40), input.bytes(input.below(70)));
        case 1 -> parameter(packet, 4 + input.below(12), input.bytes(input.below(20)));
        case 2 -> {
          if (!tokens.isEmpty()) {
            parameter(packet, TOKEN, tokens.get(input.below(Math.min(256, tokens.size()))));
          }
        }
        default -> {
          // Instead of the value that the good offer has: an id again would be malformed.
          int id = 16 + input.below(17);
          int at = find(packet, from, id);
          if (at >= 0) {
            byte[] value = input.bytes(packet.getShort(at + 2));
            packet.put(at + 4, value);
          }
        }
      }
    }
    packet.putShort(38, (short) (packet.position() - from - (input.below(16) == 15 ? 1 : 0)));
  }

  private static void parameter(ByteBuffer packet, int id, byte[] value) {
    packet.putShort((short) id).putShort((short) value.length).put(value);
  }

  private static int find(ByteBuffer packet, int from, int id) {
    for (int at = from; at + 4 <= packet.position(); at += 4 + packet.getShort(at + 2)) {
      if (packet.getShort(at) == id) {
        return at;
      }
    }
    return -1;
  }

  /** Somebody sends a packet with the id of an ACCEPT, and its cookie or nearly. */
  private void confirm() {
    if (accepts.isEmpty()) {
      return;
    }
    Flying accept = accepts.get(input.below(Math.min(256, accepts.size())));
    ByteBuffer said = ByteBuffer.wrap(accept.bytes());
    int cid = said.getInt(32);
    boolean isRight = input.below(4) != 3;
    long cookie = said.getLong(40) ^ (isRight ? 0 : 1L << input.below(64));
    ByteBuffer ping = begin(PacketType.PING, cid, cookie).putInt(1).putInt(0);
    if (isRight) {
      confirmed.add(cid);
    }
    arrive(seal(ping), input.below(8) == 7 ? address() : accept.to());
  }

  // ------------------------------------------------------------------ answers to our own CONNECT

  private void answer() {
    if (connects.isEmpty()) {
      return;
    }
    Flying connect = connects.get(input.below(Math.min(256, connects.size())));
    ByteBuffer said = ByteBuffer.wrap(connect.bytes());
    int type =
        new int[] {
              PacketType.ACCEPT, PacketType.RETRY, PacketType.REJECT, PacketType.VERSION_NEGOTIATION
            }
            [input.below(4)];
    ByteBuffer packet = begin(type, said.getInt(32), said.getLong(40));
    packet.putLong(said.getLong(16) ^ (input.below(8) == 7 ? 1 : 0));
    switch (type) {
      case PacketType.ACCEPT -> {
        packet.putLong(input.below(3)).putInt(1 + input.below(4)).put((byte) input.below(4));
        packet.put((byte) 0).putShort((short) 0).putLong(78);
        parameters(packet);
      }
      case PacketType.RETRY -> {
        byte[] token = input.bytes(1 + input.below(70));
        packet.putShort((short) token.length).putShort((short) 0).put(token);
      }
      case PacketType.REJECT -> packet.putInt(input.u16()).put(input.bytes(input.below(60)));
      default -> {
        byte[] versions = input.bytes(1 + input.below(5));
        packet.putInt(versions.length << 24).put(versions);
      }
    }
    arrive(seal(packet), input.below(8) == 7 ? address() : connect.to());
  }

  // ------------------------------------------------------------------ oracle

  private void check() {
    int halfOpen = world.ours.node.size();
    for (var each : world.ours.applications.entrySet()) {
      Connection connection = each.getKey();
      halfOpen -= connection.isEnded() ? 0 : 1;
      AgreedParameters agreed = connection.agreed();
      if (agreed != null) {
        require(
            agreed.both().datagramLengthBytes() == Limits.DATAGRAM_LENGTH_MIN, "the smaller one");
        require(agreed.both().outstandingMax() == FuzzWorld.OUTSTANDING_MAX, "the fewer");
        require(agreed.both().solicitThresholdBytes() <= 1_024, "threshold");
        require(agreed.both().headerLengthMax() <= 64, "header");
        require(agreed.isOrdered(), "one side asked for order");
        int window = agreed.tx().dataWindow();
        require(window >= 64 && window <= 16_384 && Integer.bitCount(window) == 1, "window");
        require(agreed.tx().messageLengthMax() >= 1, "longest message");
        boolean isOurs =
            connects.stream()
                .anyMatch(c -> ByteBuffer.wrap(c.bytes()).getInt(32) == connection.cid());
        require(isOurs || confirmed.contains(connection.cid()), "a connection without its cookie");
      }
    }
    // Those that have ended and linger count too, so this is a bound from above.
    require(
        halfOpen <= FuzzWorld.HALF_OPEN_MAX + world.ours.applications.size(),
        "half-open: " + halfOpen);
  }

  private ByteBuffer begin(int type, int cid, long cookie) {
    ByteBuffer packet = ByteBuffer.allocate(PACKET_LENGTH_MAX);
    packet.put((byte) 1).put((byte) type).putShort((short) 0);
    return packet.putInt(cid).putLong(cookie);
  }

  private byte[] seal(ByteBuffer packet) {
    int length = packet.position() + Integrity.TRAILER_LENGTH;
    packet.putShort(2, (short) length);
    integrity.seal(packet, 0, length);
    return Arrays.copyOf(packet.array(), length);
  }
}
