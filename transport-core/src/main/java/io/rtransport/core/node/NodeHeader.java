package io.rtransport.core.node;

import java.nio.ByteBuffer;

/**
 * What a node puts before the application's header of a push or pull.
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |    version    |     kind      |     flags     |   hops left   |
 *   +---------------------------------------------------------------+
 *   |                    origin's incarnation (8 bytes)             |
 *   +---------------------------------------------------------------+
 *   |                    id of the message (8 bytes)                |
 *   +---------------------------------------------------------------+
 *   |                    all ids below have ended (8 bytes)         |
 *   +---------------------------------------------------------------+
 *   |                    wanted target's incarnation (8 bytes)      |
 *   +---------------------------------------------------------------+
 * </pre>
 *
 * <p>Big-endian. Flags: bit 0 says that the message may be executed again, bit 1 that a {@link
 * RoutingHeader} follows; the others are 0. Of the second HELLO the id is the first one that the
 * origin has never sent.
 *
 * @param hopsLeft nodes that may still forward it, 0..255
 * @param origin incarnation of the node that made the message; not 0
 * @param id at least 1
 * @param endedBelow at least 1, at most {@code id}
 * @param target incarnation of the node that may execute it; 0: any
 * @param routing where it goes through routers; null: to the node at the other end
 */
public record NodeHeader(
    MessageKind kind,
    boolean isRepeatable,
    int hopsLeft,
    long origin,
    long id,
    long endedBelow,
    long target,
    RoutingHeader routing) {
  /** Version of this layout. */
  public static final int VERSION = 1;

  /** Bytes of a header without its routing part, and without that of the application. */
  public static final int LENGTH = 36;

  /** Nodes that may forward a new message. */
  public static final int HOPS_MAX = 8;

  private static final int REPEATABLE = 1;
  private static final int ROUTED = 2;

  /** Makes the header of a message for the node at the other end. */
  public NodeHeader(
      MessageKind kind,
      boolean isRepeatable,
      int hopsLeft,
      long origin,
      long id,
      long endedBelow,
      long target) {
    this(kind, isRepeatable, hopsLeft, origin, id, endedBelow, target, null);
  }

  /** Returns this header as a router sends it on: with one hop less. */
  public NodeHeader forwarded() {
    return new NodeHeader(
        kind, isRepeatable, hopsLeft - 1, origin, id, endedBelow, target, routing);
  }

  /** Returns the bytes before the application's header. */
  public int lengthBytes() {
    return LENGTH + (routing == null ? 0 : routing.lengthBytes());
  }

  /** Returns the header with the application's behind it. */
  public byte[] before(byte[] applicationHeader) {
    ByteBuffer to = ByteBuffer.allocate(lengthBytes() + applicationHeader.length);
    to.put((byte) VERSION)
        .put((byte) kind.wireValue())
        .put((byte) ((isRepeatable ? REPEATABLE : 0) | (routing == null ? 0 : ROUTED)))
        .put((byte) hopsLeft)
        .putLong(origin)
        .putLong(id)
        .putLong(endedBelow)
        .putLong(target);
    if (routing != null) {
      routing.put(to);
    }
    return to.put(applicationHeader).array();
  }

  /** Reads what {@link #before} wrote. Returns null for anything else: a peer may send it. */
  public static NodeHeader read(byte[] bytes) {
    if (bytes.length < LENGTH) {
      return null;
    }
    ByteBuffer from = ByteBuffer.wrap(bytes);
    int version = from.get();
    MessageKind kind = MessageKind.of(from.get() & 0xFF);
    int flags = from.get() & 0xFF;
    int hopsLeft = from.get() & 0xFF;
    boolean isRouted = (flags & ROUTED) != 0;
    RoutingHeader routing = isRouted ? RoutingHeader.read(bytes, LENGTH) : null;
    NodeHeader header =
        new NodeHeader(
            kind,
            (flags & REPEATABLE) != 0,
            hopsLeft,
            from.getLong(),
            from.getLong(),
            from.getLong(),
            from.getLong(),
            routing);
    boolean isValid =
        version == VERSION
            && kind != null
            && flags <= (REPEATABLE | ROUTED)
            && isRouted == (routing != null)
            && header.origin != 0
            && header.endedBelow >= 1
            && header.id >= header.endedBelow;
    return isValid ? header : null;
  }
}
