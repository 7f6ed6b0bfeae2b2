package io.rtransport.core.wire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rtransport.core.fuzz.FuzzInput;
import io.rtransport.core.stats.Counters;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;

/**
 * The door against {@link SpecPacket}, for every byte string: what one takes the other takes. What
 * is taken reads to its last field, and written anew from what was read gives the same packet. The
 * first byte of an input says what the harness puts right, for no fuzzer guesses a checksum: 1 the
 * checksum, 2 the length field, 4 version, id and cookie; the rest is the packet without its
 * checksum.
 */
public final class PacketFuzz {
  /**
   * Texts of a packet, each with its most bytes. Bytes that are no UTF-8 grow when they are shown.
   */
  private static final Map<String, Integer> TEXTS = Map.of("text", WireText.LENGTH_MAX, "nid", 96);

  private static final Integrity INTEGRITY = new Integrity();
  private static final PacketDoor DOOR =
      new PacketDoor(new PacketValidator(INTEGRITY), new Counters(), Vectors.CID, Vectors.COOKIE);
  private static final int LENGTH_MAX = 9_000;

  private PacketFuzz() {}

  /** One packet. */
  public static void fuzzerTestOneInput(byte[] data) {
    FuzzInput input = new FuzzInput(data);
    int repairs = input.u8();
    byte[] body = input.bytes(LENGTH_MAX);
    byte[] packet = (repairs & 1) != 0 ? Arrays.copyOf(body, body.length + 4) : body;
    ByteBuffer exact = ByteBuffer.wrap(packet);
    repair(exact, repairs);

    boolean isTaken = isTaken(exact, 0, packet.length);
    if (isTaken != SpecPacket.isWellFormed(packet, Vectors.CID, Vectors.COOKIE)) {
      throw new AssertionError("door: " + isTaken + " " + hex(packet));
    }
    // Inside a larger buffer, at an odd place, the answer is the same.
    ByteBuffer inside = Vectors.place(packet, 7, false);
    if (isTaken != isTaken(inside, 7, packet.length)) {
      throw new AssertionError("the place matters: " + hex(packet));
    }
    if (isTaken) {
      writeAnew(packet, inside);
    }
  }

  /** As an endpoint asks: CONNECT and RESET come to nobody in particular. */
  private static boolean isTaken(ByteBuffer buffer, int offset, int length) {
    int type = length > 1 ? buffer.get(offset + 1) : 0;
    boolean isUnaddressed = type == PacketType.CONNECT || type == PacketType.RESET;
    return isUnaddressed
        ? DOOR.validate(buffer, offset, length) == null
        : DOOR.check(buffer, offset, length) == null;
  }

  private static void repair(ByteBuffer packet, int repairs) {
    int length = packet.capacity();
    if ((repairs & 2) != 0 && length >= 4) {
      packet.putShort(2, (short) length);
    }
    if ((repairs & 4) != 0 && length >= 20) {
      int type = packet.get(1);
      boolean isUnaddressed = type == PacketType.CONNECT || type == PacketType.RESET;
      packet.put(0, (byte) 1);
      packet.putInt(4, isUnaddressed ? 0 : Vectors.CID);
      packet.putLong(8, isUnaddressed ? 0 : Vectors.COOKIE);
    }
    if ((repairs & 1) != 0) {
      INTEGRITY.seal(packet, 0, length);
    }
  }

  private static void writeAnew(byte[] packet, ByteBuffer inside) {
    ObjectNode read = VectorDecoder.decode(inside, 7, packet.length);
    for (Map.Entry<String, Integer> field : TEXTS.entrySet()) {
      for (JsonNode text : read.findValues(field.getKey())) {
        if (text.asText().getBytes(StandardCharsets.UTF_8).length > field.getValue()) {
          return;
        }
      }
    }
    ByteBuffer written = ByteBuffer.allocate(packet.length + 4 * WireText.LENGTH_MAX);
    int length = VectorEncoder.encode(read, written, 0);
    if (!isTaken(written, 0, length)) {
      throw new AssertionError("what was read and written is refused: " + hex(packet));
    }
    ObjectNode again = VectorDecoder.decode(written, 0, length);
    if (!again.equals(read)) {
      throw new AssertionError("read " + read + ", after writing " + again);
    }
  }

  private static String hex(byte[] packet) {
    return Vectors.hex(ByteBuffer.wrap(packet), 0, packet.length);
  }
}
