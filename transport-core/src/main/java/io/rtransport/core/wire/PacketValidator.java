package io.rtransport.core.wire;

import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Limits;
import java.nio.ByteBuffer;

/**
 * Decides whether a packet is well formed, without any connection. {@link #validateClear} checks
 * the rules for every packet; {@link #validateBody} checks the rules of its type. The result is
 * null, or the counter of the first check that failed. The work is bounded by the bytes received:
 * no number in a packet makes a loop longer.
 *
 * <p>Each event loop has one instance. Allocates nothing, throws nothing.
 */
public final class PacketValidator {
  /** Bytes of the shortest packet of any type: the clear header and the checksum. */
  public static final int PACKET_LENGTH_MIN =
      ClearHeaderFlyweight.HEADER_LENGTH + Integrity.TRAILER_LENGTH;

  /** Words that the largest window can touch. Its base may be at any bit of the first word. */
  static final int ACK_WORD_SPAN_MAX = Limits.WINDOW_PACKETS_MAX / Long.SIZE + 1;

  private static final int UNBOUNDED = Limits.PACKET_LENGTH_MAX;
  private static final int TRAILER = Integrity.TRAILER_LENGTH;
  private static final int[] LENGTHS_MIN = new int[PacketType.VERSION_NEGOTIATION + 1];
  private static final int[] LENGTHS_MAX = new int[PacketType.VERSION_NEGOTIATION + 1];

  static {
    int numberedMin = NumberedHeaderFlyweight.HEADER_LENGTH + TRAILER;
    define(PacketType.REQUEST, numberedMin, UNBOUNDED);
    define(PacketType.DATA, numberedMin, UNBOUNDED);
    define(PacketType.CONNECT, ConnectFlyweight.PACKET_LENGTH_MIN, UNBOUNDED);
    int retryMin = RetryFlyweight.FIXED_LENGTH + TRAILER;
    define(PacketType.RETRY, retryMin + 1, retryMin + RetryFlyweight.TOKEN_LENGTH_MAX);
    define(PacketType.ACCEPT, AcceptFlyweight.FIXED_LENGTH + TRAILER, UNBOUNDED);
    int rejectMin = RejectFlyweight.FIXED_LENGTH + TRAILER;
    define(PacketType.REJECT, rejectMin, rejectMin + WireText.LENGTH_MAX);
    int ackMin = ClearHeaderFlyweight.HEADER_LENGTH + AckFlyweight.FIXED_LENGTH + TRAILER;
    int ackExtraMax = AckFlyweight.BODY_LENGTH_MAX - AckFlyweight.FIXED_LENGTH;
    define(PacketType.ACK, ackMin, ackMin + ackExtraMax);
    define(PacketType.PING, PingFlyweight.PACKET_LENGTH, UNBOUNDED);
    define(PacketType.PONG, PongFlyweight.PACKET_LENGTH, PongFlyweight.PACKET_LENGTH);
    int pathLength = PathDataFlyweight.PACKET_LENGTH;
    define(PacketType.PATH_CHALLENGE, pathLength, PathDataFlyweight.CHALLENGE_LENGTH_MAX);
    define(PacketType.PATH_RESPONSE, pathLength, PathDataFlyweight.RESPONSE_LENGTH_MAX);
    int closeMin = CloseFlyweight.FIXED_LENGTH + TRAILER;
    define(PacketType.CLOSE, closeMin, closeMin + WireText.LENGTH_MAX);
    int closeAckLength = CloseAckFlyweight.PACKET_LENGTH;
    define(PacketType.CLOSE_ACK, closeAckLength, closeAckLength);
    define(PacketType.RESET, ResetFlyweight.PACKET_LENGTH, ResetFlyweight.PACKET_LENGTH);
    int versionsMin = VersionNegotiationFlyweight.FIXED_LENGTH + 1 + TRAILER;
    define(PacketType.VERSION_NEGOTIATION, versionsMin, versionsMin + 254);
  }

  private final Integrity integrity;
  private final ClearHeaderFlyweight clear = new ClearHeaderFlyweight();
  private final NumberedHeaderFlyweight numbered = new NumberedHeaderFlyweight();
  private final AckFlyweight ack = new AckFlyweight();
  private final TlvReader tlvs = new TlvReader();
  private final RecordValidator records = new RecordValidator();

  /** Type of the packet that is being checked. */
  private int type;

  /** Creates a validator that uses the event loop's checksum. */
  public PacketValidator(Integrity integrity) {
    this.integrity = integrity;
  }

  /** Returns the type of the packet in which {@link #validateClear} last found no fault. */
  int type() {
    return type;
  }

  private static void define(int type, int lengthMin, int lengthMax) {
    LENGTHS_MIN[type] = lengthMin;
    LENGTHS_MAX[type] = lengthMax;
  }

  /**
   * Makes all checks that need no connection. Returns null or the counter of the first failed
   * check.
   */
  public CounterId validate(ByteBuffer buffer, int offset, int length) {
    CounterId fault = validateClear(buffer, offset, length);
    return fault != null ? fault : validateBody(buffer, offset, length);
  }

  /**
   * Checks the rules for every packet: lengths, version, reserved bits, type, checksum. {@code
   * length} is the datagram's length in bytes.
   */
  public CounterId validateClear(ByteBuffer buffer, int offset, int length) {
    if (length < PACKET_LENGTH_MIN) {
      return CounterId.DROP_TRUNCATED;
    }
    clear.wrap(buffer, offset);
    if (clear.version() != ClearHeaderFlyweight.VERSION) {
      return CounterId.DROP_VERSION;
    }
    int stated = clear.length();
    if (length < stated) {
      return CounterId.DROP_TRUNCATED;
    }
    if (length > stated || length > Limits.PACKET_LENGTH_MAX) {
      return CounterId.DROP_OVERLONG;
    }
    if (clear.reservedFlags() != 0) {
      return CounterId.DROP_FLAGS;
    }
    type = clear.type();
    if (!PacketType.isKnown(type)) {
      return CounterId.DROP_TYPE;
    }
    if (length < LENGTHS_MIN[type]) {
      return CounterId.DROP_TRUNCATED;
    }
    if (length > LENGTHS_MAX[type]) {
      return CounterId.DROP_OVERLONG;
    }
    return integrity.verify(buffer, offset, length) ? null : CounterId.DROP_INTEGRITY;
  }

  /**
   * Checks the rules of the packet's type for the rest. Call only after {@link #validateClear}
   * found no fault in the same packet, and before it checks another: it has read the type.
   */
  public CounterId validateBody(ByteBuffer buffer, int offset, int length) {
    switch (type) {
      case PacketType.REQUEST:
        return validateNumbered(WindowClass.REQUEST, buffer, offset, length);
      case PacketType.DATA:
        return validateNumbered(WindowClass.DATA, buffer, offset, length);
      case PacketType.CONNECT:
      case PacketType.ACCEPT:
        return validateHandshake(buffer, offset, length);
      case PacketType.ACK:
        return validateAckPacket(buffer, offset, length);
      case PacketType.RETRY:
        return validateRetry(buffer, offset, length);
      case PacketType.PING:
      case PacketType.PONG:
        return validateZero24(buffer, offset + PingFlyweight.PATH_ID_WORD_OFFSET);
      case PacketType.CLOSE:
        return validateFlags(
            buffer, offset + CloseFlyweight.FLAGS_WORD_OFFSET, CloseFlyweight.FLAGS_KNOWN);
      case PacketType.CLOSE_ACK:
        return validateFlags(
            buffer, offset + CloseAckFlyweight.FLAGS_WORD_OFFSET, CloseAckFlyweight.FLAGS_KNOWN);
      case PacketType.RESET:
        return validateUnaddressed();
      case PacketType.VERSION_NEGOTIATION:
        return validateVersions(buffer, offset, length);
      case PacketType.PATH_RESPONSE:
        return validatePathResponse(buffer, offset, length);
      default: // REJECT, PATH_CHALLENGE: any value is valid
        return null;
    }
  }

  private CounterId validateNumbered(
      WindowClass windowClass, ByteBuffer buffer, int offset, int length) {
    numbered.wrap(buffer, offset);
    int flags = numbered.flags();
    if ((flags & ~NumberedHeaderFlyweight.FLAGS_KNOWN) != 0 || numbered.reserved() != 0) {
      return CounterId.DROP_FLAGS;
    }
    int end = numbered.recordsEnd(length);
    int at = numbered.ackBlockOffset();
    if (at > end) {
      return CounterId.DROP_TRUNCATED;
    }
    if ((flags & NumberedHeaderFlyweight.FLAG_ACK_BLOCK) != 0) {
      CounterId fault = validateAckBody(buffer, at, end);
      if (fault != null) {
        return fault;
      }
      at += ack.bodyLength();
    }
    return records.validate(windowClass, buffer, at, end, numbered.recordCount());
  }

  private CounterId validateAckPacket(ByteBuffer buffer, int offset, int length) {
    int body = offset + ClearHeaderFlyweight.HEADER_LENGTH;
    int end = offset + length - TRAILER;
    CounterId fault = validateAckBody(buffer, body, end);
    if (fault != null) {
      return fault;
    }
    return body + ack.bodyLength() == end ? null : CounterId.DROP_ACK_BODY;
  }

  /**
   * Checks an ACK body that begins at {@code body} and must not pass {@code end}. Leaves {@link
   * #ack} wrapped around it.
   */
  private CounterId validateAckBody(ByteBuffer buffer, int body, int end) {
    if (end - body < AckFlyweight.FIXED_LENGTH) {
      return CounterId.DROP_ACK_BODY;
    }
    ack.wrap(buffer, body);
    if ((ack.flags() & ~AckFlyweight.FLAGS_KNOWN) != 0) {
      return CounterId.DROP_FLAGS;
    }
    int requestWords = ack.requestWordCount();
    int dataWords = ack.dataWordCount();
    boolean sound =
        requestWords <= AckFlyweight.WORD_COUNT_MAX
            && dataWords <= AckFlyweight.WORD_COUNT_MAX
            && ack.pathCount() <= AckFlyweight.PATH_COUNT_MAX
            && ack.requestWordOffset() + requestWords <= ACK_WORD_SPAN_MAX
            && ack.dataWordOffset() + dataWords <= ACK_WORD_SPAN_MAX
            && ack.bodyLength() <= end - body;
    return sound ? null : CounterId.DROP_ACK_BODY;
  }

  /**
   * Checks a CONNECT or ACCEPT. Their layout is the same, but only CONNECT is padded and names no
   * connection.
   */
  private CounterId validateHandshake(ByteBuffer buffer, int offset, int length) {
    boolean connect = type == PacketType.CONNECT;
    if (connect) {
      CounterId fault = validateUnaddressed();
      if (fault != null) {
        return fault;
      }
    }
    if (buffer.get(offset + ConnectFlyweight.RESERVED_OFFSET) != 0) {
      return CounterId.DROP_FLAGS;
    }
    if (buffer.getInt(offset + ConnectFlyweight.SOURCE_CID_OFFSET) == 0) {
      return CounterId.DROP_BODY;
    }
    int tlvLength = buffer.getShort(offset + ConnectFlyweight.TLV_LENGTH_OFFSET) & 0xFFFF;
    int room = length - ConnectFlyweight.FIXED_LENGTH - TRAILER;
    if (connect ? tlvLength > room : tlvLength != room) {
      return CounterId.DROP_TLV;
    }
    tlvs.wrap(buffer, offset + ConnectFlyweight.FIXED_LENGTH, tlvLength);
    return tlvs.isWellFormed() ? null : CounterId.DROP_TLV;
  }

  private CounterId validateRetry(ByteBuffer buffer, int offset, int length) {
    if (buffer.getShort(offset + RetryFlyweight.RESERVED_OFFSET) != 0) {
      return CounterId.DROP_FLAGS;
    }
    int tokenLength = buffer.getShort(offset + RetryFlyweight.TOKEN_LENGTH_OFFSET) & 0xFFFF;
    return RetryFlyweight.FIXED_LENGTH + tokenLength + TRAILER == length
        ? null
        : CounterId.DROP_BODY;
  }

  private static CounterId validatePathResponse(ByteBuffer buffer, int offset, int length) {
    if (length == PathDataFlyweight.PACKET_LENGTH) {
      return null;
    }
    if (length != PathDataFlyweight.RESPONSE_LENGTH_MAX) {
      return CounterId.DROP_BODY;
    }
    int flags = buffer.get(offset + PathDataFlyweight.FLAGS_OFFSET) & 0xFF;
    boolean isSound =
        (flags & ~PathDataFlyweight.FLAGS_KNOWN) == 0
            && buffer.getShort(offset + PathDataFlyweight.RESERVED_OFFSET) == 0;
    return isSound ? null : CounterId.DROP_FLAGS;
  }

  private CounterId validateVersions(ByteBuffer buffer, int offset, int length) {
    int countWord = offset + VersionNegotiationFlyweight.COUNT_WORD_OFFSET;
    if (validateZero24(buffer, countWord) != null) {
      return CounterId.DROP_FLAGS;
    }
    int count = buffer.get(countWord) & 0xFF;
    return VersionNegotiationFlyweight.FIXED_LENGTH + count + TRAILER == length
        ? null
        : CounterId.DROP_BODY;
  }

  /**
   * Checks that a CONNECT or RESET names no connection of the receiver. {@link #clear} must be
   * wrapped around the packet.
   */
  private CounterId validateUnaddressed() {
    if (clear.destinationCid() != 0) {
      return CounterId.DROP_CID;
    }
    return clear.cookie() == 0 ? null : CounterId.DROP_COOKIE;
  }

  private static CounterId validateFlags(ByteBuffer buffer, int word, int known) {
    if ((buffer.get(word) & 0xFF & ~known) != 0) {
      return CounterId.DROP_FLAGS;
    }
    return validateZero24(buffer, word);
  }

  /** Checks that the three reserved bytes behind the byte at {@code word} are 0. */
  private static CounterId validateZero24(ByteBuffer buffer, int word) {
    return (buffer.getInt(word) & 0xFF_FFFF) == 0 ? null : CounterId.DROP_FLAGS;
  }
}
