package io.rtransport.netty.node;

import io.rtransport.core.node.MessageKind;
import io.rtransport.core.node.NodeHeader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * What the two sides of a connection say first. The origin asks with its incarnation, the first id
 * that it has never sent, and its name; the target answers with its own incarnation and name.
 *
 * @param incarnation of the target's node
 * @param name of the target's node
 */
record Hello(long incarnation, String name) {
  /** Bytes of a name. */
  static final int NAME_LENGTH_MAX = 64;

  /** Bytes of the longest answer. */
  static final int ANSWER_LENGTH_MAX = Long.BYTES + NAME_LENGTH_MAX;

  /** Returns the header of the question. */
  static byte[] question(long origin, long firstUnsent, String name) {
    return new NodeHeader(MessageKind.HELLO, false, 0, origin, firstUnsent, 1, 0)
        .before(name.getBytes(StandardCharsets.UTF_8));
  }

  byte[] answer() {
    byte[] text = name.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(Long.BYTES + text.length).putLong(incarnation).put(text).array();
  }

  /** Reads an answer. Returns null for what is none. */
  static Hello read(byte[] bytes) {
    if (bytes.length <= Long.BYTES || bytes.length > ANSWER_LENGTH_MAX) {
      return null;
    }
    long incarnation = ByteBuffer.wrap(bytes).getLong();
    String name = name(Arrays.copyOfRange(bytes, Long.BYTES, bytes.length));
    return incarnation == 0 || name == null ? null : new Hello(incarnation, name);
  }

  /** Returns the name in these bytes, or null if they are none. */
  static String name(byte[] bytes) {
    String name = new String(bytes, StandardCharsets.UTF_8);
    return isName(name) ? name : null;
  }

  /** Returns whether it can be a name: 1 to 64 of the letters, digits, '.', '_' and '-'. */
  static boolean isName(String name) {
    return name.matches("[A-Za-z0-9._-]{1," + NAME_LENGTH_MAX + "}");
  }
}
