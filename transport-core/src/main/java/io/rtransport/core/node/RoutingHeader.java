package io.rtransport.core.node;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Part of a {@link NodeHeader} that leads a message through routers: where it goes, and who made
 * it. It stands between the header and the application's header.
 *
 * <pre>
 *   | length of destination (1) | destination | length of origin (1) | origin |
 * </pre>
 *
 * <p>With names of {@value #NAME_LENGTH_MAX} bytes, the whole header has 128 bytes. Source: LNet
 * Health, "PUT and GET in Routed Configuration".
 *
 * @param destination name of the node that executes the message; 1..45 bytes
 * @param origin name of the node that made it, not proved; 1..45 bytes
 */
public record RoutingHeader(String destination, String origin) {
  /** Bytes of the longest name in a routed message. */
  public static final int NAME_LENGTH_MAX = 45;

  /** Bytes of the longest routing part. */
  public static final int LENGTH_MAX = 2 + 2 * NAME_LENGTH_MAX;

  /** Checks that both are names that have room. */
  public RoutingHeader {
    check("destination", destination);
    check("origin", origin);
  }

  private static void check(String field, String name) {
    if (!isRoutable(name)) {
      throw new IllegalArgumentException(
          field + "=" + name + ", valid: a name of 1.." + NAME_LENGTH_MAX + " characters");
    }
  }

  /** Returns whether a node of this name can be reached through routers, or reach others. */
  public static boolean isRoutable(String name) {
    return NodeName.isName(name) && name.length() <= NAME_LENGTH_MAX;
  }

  /** Returns the bytes that it takes. */
  public int lengthBytes() {
    return 2 + destination.length() + origin.length();
  }

  void put(ByteBuffer to) {
    put(to, destination);
    put(to, origin);
  }

  private static void put(ByteBuffer to, String name) {
    to.put((byte) name.length()).put(name.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** Reads one from {@code offset}. Returns null for anything else: a peer may send it. */
  static RoutingHeader read(byte[] bytes, int offset) {
    String destination = name(bytes, offset);
    if (destination == null) {
      return null;
    }
    String origin = name(bytes, offset + 1 + destination.length());
    return origin == null ? null : new RoutingHeader(destination, origin);
  }

  private static String name(byte[] bytes, int offset) {
    int lengthBytes = offset < bytes.length ? bytes[offset] : 0;
    boolean isThere =
        lengthBytes >= 1 && lengthBytes <= NAME_LENGTH_MAX && lengthBytes < bytes.length - offset;
    return isThere ? NodeName.read(bytes, offset + 1, lengthBytes) : null;
  }
}
