package io.rtransport.core.wire;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import java.util.zip.CRC32C;

/**
 * Sections 2 to 8 of docs/reference/protocol.md written down once more, by their numbers and not by
 * the product's flyweights: the oracle to hold the door against. Slow and simple; anything that
 * reads beyond the packet throws, and so counts as malformed.
 */
public final class SpecPacket {
  private static final int TRAILER = 4;
  private static final long U32_MAX = 0xFFFF_FFFFL;

  /** Least and largest length of each packet type, section 2.2. */
  private static final int[][] LENGTHS = {
    null,
    {40, 65_507},
    {40, 65_507},
    {512, 65_507},
    {33, 96},
    {52, 65_507},
    {32, 288},
    {44, 396},
    {28, 65_507},
    {36, 36},
    {28, 64},
    {28, 32},
    {36, 292},
    {24, 24},
    {32, 32},
    {33, 287}
  };

  private final ByteBuffer packet;
  private final int type;

  /** Where the body ends and the checksum begins. */
  private final int end;

  private SpecPacket(byte[] bytes) {
    packet = ByteBuffer.wrap(bytes);
    type = bytes.length > 1 ? bytes[1] & 0xFF : 0;
    end = bytes.length - TRAILER;
  }

  /**
   * Whether a receiver with this id and cookie must take the packet, or, of CONNECT and RESET, an
   * endpoint.
   */
  public static boolean isWellFormed(byte[] bytes, int cid, long cookie) {
    try {
      return new SpecPacket(bytes).check(cid, cookie);
    } catch (IndexOutOfBoundsException e) {
      return false;
    }
  }

  private boolean check(int cid, long cookie) {
    int length = packet.capacity();
    if (length < 20 || u8(0) != 1 || u16(2) != length) {
      return false;
    }
    if (type < 1 || type > 15 || length < LENGTHS[type][0] || length > LENGTHS[type][1]) {
      return false;
    }
    CRC32C crc = new CRC32C();
    crc.update(packet.array(), 0, end);
    boolean isUnaddressed = type == 3 || type == 14;
    return u32(end) == crc.getValue()
        && packet.getInt(4) == (isUnaddressed ? 0 : cid)
        && packet.getLong(8) == (isUnaddressed ? 0 : cookie)
        && isBodyRight();
  }

  private boolean isBodyRight() {
    return switch (type) {
      case 1, 2 -> isNumberedRight();
      case 3, 5 -> u8(37) == 0 && u32(32) != 0 && areParametersRight(type == 3);
      case 4 -> u16(26) == 0 && 28 + u16(24) == end;
      case 7 -> ackEnd(16) == end;
      case 8, 9 -> isZero(21, 3);
      case 11 -> end == 24 || end == 28 && u8(25) <= 1 && u16(26) == 0;
      case 12 -> u8(20) <= 1 && isZero(21, 3);
      case 13 -> u8(16) <= 1 && isZero(17, 3);
      case 15 -> isZero(25, 3) && 28 + u8(24) == end;
      default -> true;
    };
  }

  // ------------------------------------------------------------------ section 7

  private boolean areParametersRight(boolean isPadded) {
    int tlvEnd = 48 + u16(38);
    if (isPadded ? tlvEnd > end : tlvEnd != end) {
      return false;
    }
    Set<Integer> seen = new HashSet<>();
    int at = 48;
    while (at < tlvEnd) {
      if (tlvEnd - at < 4 || tlvEnd - at - 4 < u16(at + 2)) {
        return false;
      }
      int id = u16(at);
      int length = u16(at + 2);
      boolean isNumber = id >= 16 && id <= 33;
      if ((id >= 1 && id <= 3 || isNumber) && !seen.add(id)) {
        return false;
      }
      boolean isRight =
          id == 1
              ? length >= 1 && length <= 16
              : id == 2
                  ? length >= 1 && length <= 64
                  : id == 3 ? length <= 256 : !isNumber || Set.of(1, 2, 4, 8).contains(length);
      if (!isRight) {
        return false;
      }
      at += 4 + length;
    }
    return true;
  }

  // ------------------------------------------------------------------ section 5

  /** Where an acknowledgement body ends, or −1. */
  private int ackEnd(int at) {
    int requestWords = u8(at + 9);
    int dataWords = u8(at + 10);
    int paths = u8(at + 11);
    boolean isRight =
        at + 24 <= end
            && u8(at + 8) <= 3
            && requestWords <= 16
            && dataWords <= 16
            && paths <= 8
            && u16(at + 12) + requestWords <= 257
            && u16(at + 14) + dataWords <= 257;
    int bodyEnd = at + 24 + 8 * (requestWords + dataWords) + 12 * paths;
    return isRight && bodyEnd <= end ? bodyEnd : -1;
  }

  // ------------------------------------------------------------------ sections 3 and 4

  private boolean isNumberedRight() {
    int flags = u8(32);
    if (flags > 15 || u16(34) != 0) {
      return false;
    }
    int at = 36 + 4 * Integer.bitCount(flags & 6);
    if ((flags & 8) != 0) {
      at = ackEnd(at);
    }
    if (at < 0 || at > end) {
      return false;
    }
    for (int i = u8(33); i > 0; i--) {
      if (end - at < 4 || u16(at + 2) < 4 || u16(at + 2) > end - at || !isRecordRight(at)) {
        return false;
      }
      at += u16(at + 2);
    }
    return at == end;
  }

  private boolean isRecordRight(int at) {
    int flags = u8(at + 1);
    int length = u16(at + 2);
    boolean isRequest = type == 1;
    return switch (u8(at)) {
      case 0x00 -> flags == 0;
      case 0x01 -> isRequest && flags == 0 && length >= 16 && length <= 528;
      case 0x02 ->
          isRequest && flags == 0 && length >= 16 && length <= 528 && u32(at + 12) <= u32(at + 8);
      case 0x03 -> flags <= 1 && length == 16;
      case 0x10 -> !isRequest && flags == 0 && length == 20 && isInMessage(at + 12);
      case 0x11 -> !isRequest && flags == 0 && length == 16 && isInMessage(at + 8);
      case 0x12 -> !isRequest && flags == 0 && length >= 12 && u32(at + 8) + length - 12 <= U32_MAX;
      case 0x13 -> !isRequest && isUnsolicitedRight(at, flags, length);
      case 0x14 ->
          !isRequest
              && flags <= 1
              && (flags == 1
                  ? length >= 8
                  : length >= 16 && u32(at + 8) + length - 16 <= u32(at + 12));
      case 0x15 ->
          !isRequest
              && flags == 0
              && length >= 20
              && u8(at + 11) == 0
              && u8(at + 10) <= 8
              && length == 20 + 8 * u8(at + 10)
              && u16(at + 8) + u8(at + 10) <= 16_385;
      case 0x16 -> !isRequest && flags <= 3 && length >= 12 && length <= 268;
      case 0x17 -> !isRequest && flags == 0 && length == 8;
      case 0x18 -> !isRequest && flags <= 1 && length == 8;
      case 0x19, 0x1A -> !isRequest && flags == 0 && length >= 9 && length <= 104;
      default -> false;
    };
  }

  private boolean isUnsolicitedRight(int at, int flags, int length) {
    boolean isWhole = (flags & 1) != 0;
    boolean hasHeader = (flags & 2) != 0;
    int fixed = 8 + (isWhole ? 0 : 8) + (hasHeader ? 2 : 0);
    if (flags > 7 || length < fixed) {
      return false;
    }
    int header = hasHeader ? u16(at + fixed - 2) : 0;
    if (header > 512 || header > length - fixed) {
      return false;
    }
    if (isWhole) {
      return true;
    }
    long offset = u32(at + 8);
    boolean mayHaveHeader = !hasHeader || offset == 0;
    return mayHaveHeader && offset + length - fixed - header <= u32(at + 12);
  }

  /** Offset and length of a grant. */
  private boolean isInMessage(int at) {
    return u32(at) + u32(at + 4) <= U32_MAX;
  }

  private int u8(int at) {
    return packet.get(at) & 0xFF;
  }

  private int u16(int at) {
    return packet.getShort(at) & 0xFFFF;
  }

  private long u32(int at) {
    return packet.getInt(at) & U32_MAX;
  }

  private boolean isZero(int at, int count) {
    for (int i = 0; i < count; i++) {
      if (packet.get(at + i) != 0) {
        return false;
      }
    }
    return true;
  }
}
