package io.rtransport.netty.node;

import io.rtransport.core.node.MessageKind;
import io.rtransport.core.node.NodeHeader;
import io.rtransport.core.node.NodeName;
import io.rtransport.core.node.RoutingHeader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;

/**
 * What the two sides of a connection say first. The origin asks who is there; the target answers
 * with its incarnation and name. Then the origin asks that incarnation to know it, with the first
 * id that it has never sent there. The answer is the same.
 *
 * @param incarnation of the target's node
 * @param name of the target's node
 */
record Hello(long incarnation, String name) {
  /** Bytes of a name. */
  static final int NAME_LENGTH_MAX = 64;

  /** Bytes of the longest answer. */
  static final int ANSWER_LENGTH_MAX = Long.BYTES + NAME_LENGTH_MAX;

  /** Draws the number of a node's life, or of an origin's; not 0. */
  static long draw() {
    SecureRandom random = new SecureRandom();
    long drawn = random.nextLong();
    while (drawn == 0) {
      drawn = random.nextLong();
    }
    return drawn;
  }

  /** Returns the header of a question to the node at the other end. */
  static byte[] question(long origin, long target, long firstNew, String name) {
    return question(origin, target, firstNew, name, null);
  }

  /**
   * Returns the header of a question.
   *
   * @param target the incarnation that is asked to know the origin; 0: who are you
   * @param firstNew the first id that the origin has never sent to it
   * @param routing where it goes through routers; null: to the node at the other end
   */
  static byte[] question(
      long origin, long target, long firstNew, String name, RoutingHeader routing) {
    int hops = routing == null ? 0 : NodeHeader.HOPS_MAX;
    return new NodeHeader(MessageKind.HELLO, false, hops, origin, firstNew, 1, target, routing)
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
    return NodeName.isName(name);
  }
}
