package io.rtransport.netty.node;

import io.rtransport.core.node.MessageKind;
import io.rtransport.core.node.NodeHeader;
import io.rtransport.core.node.NodeName;
import io.rtransport.core.node.OnceTable;
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
 * @param mark of the target, for the second question: see {@link OnceTable#mark}
 * @param name of the target's node
 */
record Hello(long incarnation, long mark, String name) {
  /** Bytes of a name. */
  static final int NAME_LENGTH_MAX = 64;

  /** Bytes of the longest answer. */
  static final int ANSWER_LENGTH_MAX = 2 * Long.BYTES + NAME_LENGTH_MAX;

  /** Draws the number of a node's life, or of an origin's; not 0. */
  static long draw() {
    SecureRandom random = new SecureRandom();
    long drawn = random.nextLong();
    while (drawn == 0) {
      drawn = random.nextLong();
    }
    return drawn;
  }

  /**
   * Returns the header of the first question: who is there?
   *
   * @param name of the origin's node
   * @param routing where it goes through routers; null: to the node at the other end
   */
  static byte[] who(long origin, String name, RoutingHeader routing) {
    return header(origin, 1, 0, routing).before(name.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Returns the header of the second question, to the node that has answered this: to know the
   * origin.
   *
   * @param firstNew the first id that the origin has never sent to it
   * @param own name of the origin's node
   * @param routing as of the first question
   */
  byte[] toBeKnown(long origin, long firstNew, String own, RoutingHeader routing) {
    byte[] text = own.getBytes(StandardCharsets.UTF_8);
    return header(origin, firstNew, incarnation, routing)
        .before(ByteBuffer.allocate(Long.BYTES + text.length).putLong(mark).put(text).array());
  }

  private static NodeHeader header(long origin, long id, long target, RoutingHeader routing) {
    int hops = routing == null ? 0 : NodeHeader.HOPS_MAX;
    return new NodeHeader(MessageKind.HELLO, false, hops, origin, id, 1, target, routing);
  }

  /** Returns this with the mark as it is now. */
  Hello at(long markNow) {
    return new Hello(incarnation, markNow, name);
  }

  byte[] answer() {
    byte[] text = name.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(2 * Long.BYTES + text.length)
        .putLong(incarnation)
        .putLong(mark)
        .put(text)
        .array();
  }

  /** Reads an answer. Returns null for what is none. */
  static Hello read(byte[] bytes) {
    if (bytes.length <= 2 * Long.BYTES || bytes.length > ANSWER_LENGTH_MAX) {
      return null;
    }
    ByteBuffer from = ByteBuffer.wrap(bytes);
    long incarnation = from.getLong();
    long mark = from.getLong();
    String name = name(Arrays.copyOfRange(bytes, 2 * Long.BYTES, bytes.length));
    return incarnation == 0 || name == null ? null : new Hello(incarnation, mark, name);
  }

  /** Returns whether both are answers of one life of a node. */
  boolean isOfSame(Hello other) {
    return other != null && other.incarnation == incarnation && other.name.equals(name);
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
