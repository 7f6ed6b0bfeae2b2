package io.rtransport.core.wire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * The golden vectors of docs/reference/vectors, made outside of this code base from the tables of
 * docs/reference/protocol.md.
 */
final class Vectors {
  static final ObjectMapper JSON = new ObjectMapper();
  static final int CID = 0x0102_0304;
  static final long COOKIE = 0x1122_3344_5566_7788L;

  private Vectors() {}

  static List<JsonNode> read(String file) {
    try {
      List<JsonNode> all = new ArrayList<>();
      JSON.readTree(Path.of("..", "docs", "reference", "vectors", file).toFile()).forEach(all::add);
      return all;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static byte[] bytes(String hex) {
    return HexFormat.of().parseHex(hex);
  }

  static String hex(ByteBuffer buffer, int index, int length) {
    byte[] bytes = new byte[length];
    buffer.get(index, bytes);
    return HexFormat.of().formatHex(bytes);
  }

  /** The bytes at an odd place inside a larger buffer, with rubbish around them. */
  static ByteBuffer place(byte[] packet, int offset, boolean direct) {
    int capacity = offset + packet.length + 13;
    ByteBuffer buffer =
        direct ? ByteBuffer.allocateDirect(capacity) : ByteBuffer.allocate(capacity);
    for (int i = 0; i < capacity; i++) {
      buffer.put(i, (byte) 0xA5);
    }
    return buffer.put(offset, packet);
  }
}
