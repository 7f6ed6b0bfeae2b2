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
 * <p>Big-endian. Flags: bit 0 says that the message may be executed again; the others are 0. Of a
 * HELLO the id is the first one that the origin has never sent.
 *
 * @param hopsLeft nodes that may still forward it, 0..255
 * @param origin incarnation of the node that made the message; not 0
 * @param id at least 1
 * @param endedBelow at least 1, at most {@code id}
 * @param target incarnation of the node that may execute it; 0: any
 */
public record NodeHeader(
    MessageKind kind,
    boolean isRepeatable,
    int hopsLeft,
    long origin,
    long id,
    long endedBelow,
    long target) {
  /** Version of this layout. */
  public static final int VERSION = 1;

  /** Bytes of a header without that of the application. */
  public static final int LENGTH = 36;

  private static final int REPEATABLE = 1;

  /** Returns the header with the application's behind it. */
  public byte[] before(byte[] applicationHeader) {
    return ByteBuffer.allocate(LENGTH + applicationHeader.length)
        .put((byte) VERSION)
        .put((byte) kind.wireValue())
        .put((byte) (isRepeatable ? REPEATABLE : 0))
        .put((byte) hopsLeft)
        .putLong(origin)
        .putLong(id)
        .putLong(endedBelow)
        .putLong(target)
        .put(applicationHeader)
        .array();
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
    NodeHeader header =
        new NodeHeader(
            kind,
            flags == REPEATABLE,
            hopsLeft,
            from.getLong(),
            from.getLong(),
            from.getLong(),
            from.getLong());
    boolean isValid =
        version == VERSION
            && kind != null
            && flags <= REPEATABLE
            && header.origin != 0
            && header.endedBelow >= 1
            && header.id >= header.endedBelow;
    return isValid ? header : null;
  }
}
