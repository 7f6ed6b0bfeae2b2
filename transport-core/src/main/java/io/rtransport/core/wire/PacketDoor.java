package io.rtransport.core.wire;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import java.nio.ByteBuffer;

/**
 * The wire sublayer of a connection. Every packet passes it. It decides whether a packet belongs to
 * this connection and is complete and well formed. The sublayers above never check a length again.
 * A packet that fails is dropped from its burst. It is counted once, under the counter of the first
 * check that it failed:
 *
 * <ol>
 *   <li>version, length, reserved bits, type, minimum length of the type, checksum ({@link
 *       PacketValidator#validateClear}),
 *   <li>connection id, then cookie,
 *   <li>everything inside ({@link PacketValidator#validateBody}).
 * </ol>
 *
 * <p>The type of a packet that passes is noted in the burst: those above read no clear header.
 *
 * <p>Confined to the connection's event loop. Allocates nothing, and never throws because of a
 * peer's packet.
 */
public final class PacketDoor {
  private final PacketValidator validator;
  private final Counters counters;
  private final int ownCid;
  private final long ownCookie;

  /**
   * Creates the door of one connection.
   *
   * @param validator the event loop's validator
   * @param counters the connection's counters
   * @param ownCid the destination CID that packets to this connection must have
   * @param ownCookie the cookie that packets to this connection must have
   */
  public PacketDoor(PacketValidator validator, Counters counters, int ownCid, long ownCookie) {
    this.validator = validator;
    this.counters = counters;
    this.ownCid = ownCid;
    this.ownCookie = ownCookie;
  }

  /** Drops and counts the packets of the burst that are not valid packets for this connection. */
  public void onBurst(PacketBurst burst, long nowNs) {
    int count = burst.count();
    counters.add(CounterId.DATAGRAMS_RECEIVED, count);
    for (int i = 0; i < count; i++) {
      if (!burst.isDropped(i)) {
        onPacket(burst, i);
      }
    }
  }

  private void onPacket(PacketBurst burst, int i) {
    CounterId fault = firstFault(burst.buffer(i), burst.offset(i), burst.length(i));
    if (fault == null) {
      burst.type(i, validator.type());
    } else {
      burst.drop(i);
      counters.increment(fault);
    }
  }

  /**
   * Returns the counter of a check that the packet fails; null if the packet is valid for this
   * connection. Looks at the cookie first, because the endpoint checks a packet without it again:
   * so its checksum is computed there only.
   */
  public CounterId check(ByteBuffer buffer, int offset, int length) {
    if (length < ClearHeaderFlyweight.HEADER_LENGTH) {
      return CounterId.DROP_TRUNCATED;
    }
    return hasCookie(buffer, offset) ? firstFault(buffer, offset, length) : CounterId.DROP_COOKIE;
  }

  /** Returns the counter of the first check that the packet fails; null if it is valid. */
  private CounterId firstFault(ByteBuffer buffer, int offset, int length) {
    CounterId fault = validator.validateClear(buffer, offset, length);
    if (fault != null) {
      return fault;
    }
    if (buffer.getInt(offset + ClearHeaderFlyweight.DESTINATION_CID_OFFSET) != ownCid) {
      return CounterId.DROP_CID;
    }
    if (!hasCookie(buffer, offset)) {
      return CounterId.DROP_COOKIE;
    }
    return validator.validateBody(buffer, offset, length);
  }

  private boolean hasCookie(ByteBuffer buffer, int offset) {
    // One 64-bit comparison: its time says nothing about which bits differ.
    return (buffer.getLong(offset + ClearHeaderFlyweight.COOKIE_OFFSET) ^ ownCookie) == 0;
  }

  /** Validates a packet that belongs to no connection: {@link PacketValidator#validate}. */
  public CounterId validate(ByteBuffer buffer, int offset, int length) {
    return validator.validate(buffer, offset, length);
  }
}
