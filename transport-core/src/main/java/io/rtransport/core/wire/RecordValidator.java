package io.rtransport.core.wire;

import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Limits;
import java.nio.ByteBuffer;

/**
 * Decides whether the records of a numbered packet are well formed. It checks {@link RecordRules}
 * first, then the fields of each record. One bad record makes the whole packet invalid. The sender
 * resends such a packet unchanged, so only a broken peer is affected.
 */
final class RecordValidator {
  /** Words that the RSN window can touch. Its base may be at any bit of the first word. */
  static final int COMPLETED_WORD_SPAN_MAX = Limits.RSN_SPAN_MAX / Long.SIZE + 1;

  private static final long MESSAGE_END_MAX = Limits.MESSAGE_LENGTH_MAX;

  private final RecordFlyweight record = new RecordFlyweight();
  private final PushUnsolicitedDataFlyweight unsolicited = new PushUnsolicitedDataFlyweight();
  private final PullDataFlyweight pullData = new PullDataFlyweight();

  /**
   * Checks that exactly {@code count} valid records fill {@code [from, end)}. Returns null or the
   * counter of the first failed check.
   */
  CounterId validate(WindowClass windowClass, ByteBuffer buffer, int from, int end, int count) {
    int at = from;
    for (int i = 0; i < count; i++) {
      int room = end - at;
      if (room == 0) {
        return CounterId.DROP_RECORD_COUNT;
      }
      if (room < RecordFlyweight.HEADER_LENGTH) {
        return CounterId.DROP_RECORD_LENGTH;
      }
      record.wrap(buffer, at);
      int type = record.type();
      if (!RecordRules.isAllowedIn(type, windowClass)) {
        return CounterId.DROP_RECORD_TYPE;
      }
      if ((record.flags() & ~RecordRules.flagsKnown(type)) != 0) {
        return CounterId.DROP_FLAGS;
      }
      int length = record.length();
      if (length < RecordRules.lengthMin(type) || length > room) {
        return CounterId.DROP_RECORD_LENGTH;
      }
      CounterId fault = validateRecord(type, buffer, at, length);
      if (fault != null) {
        return fault;
      }
      at += length;
    }
    return at == end ? null : CounterId.DROP_RECORD_COUNT;
  }

  private CounterId validateRecord(int type, ByteBuffer buffer, int at, int length) {
    switch (type) {
      case RecordType.PAD:
        return null;
      case RecordType.PUSH_SOLICITED_REQUEST:
        return atMost(
            length, PushSolicitedRequestFlyweight.FIXED_LENGTH + Limits.HEADER_LENGTH_MAX);
      case RecordType.PULL_REQUEST:
        return validatePullRequest(buffer, at, length);
      case RecordType.PUSH_GRANT:
        return validateGrant(
            length,
            PushGrantFlyweight.FIXED_LENGTH,
            u32(buffer, at + PushGrantFlyweight.OFFSET_OFFSET),
            u32(buffer, at + PushGrantFlyweight.GRANT_LENGTH_OFFSET));
      case RecordType.PULL_GRANT:
        return validateGrant(
            length,
            PullGrantFlyweight.FIXED_LENGTH,
            u32(buffer, at + PullGrantFlyweight.OFFSET_OFFSET),
            u32(buffer, at + PullGrantFlyweight.GRANT_LENGTH_OFFSET));
      case RecordType.PUSH_SOLICITED_DATA:
        int payload = length - PushSolicitedDataFlyweight.FIXED_LENGTH;
        long offset = u32(buffer, at + PushSolicitedDataFlyweight.OFFSET_OFFSET);
        return within(offset, payload, MESSAGE_END_MAX);
      case RecordType.PUSH_UNSOLICITED_DATA:
        return validateUnsolicited(buffer, at, length);
      case RecordType.PULL_DATA:
        return validatePullData(buffer, at, length);
      case RecordType.COMPLETED:
        return validateCompleted(buffer, at, length);
      case RecordType.COMPLETE_IN_ERROR:
        return atMost(length, CompleteInErrorFlyweight.FIXED_LENGTH + WireText.LENGTH_MAX);
      case RecordType.ADD_NI:
      case RecordType.REMOVE_NI:
        return atMost(length, NiFlyweight.FIXED_LENGTH + NiFlyweight.NID_LENGTH_MAX);
      default: // RESYNC, CANCEL, FIN: fixed length
        return atMost(length, RecordRules.lengthMin(type));
    }
  }

  private static CounterId validatePullRequest(ByteBuffer buffer, int at, int length) {
    if (length > PullRequestFlyweight.FIXED_LENGTH + Limits.HEADER_LENGTH_MAX) {
      return CounterId.DROP_RECORD_LENGTH;
    }
    long granted = u32(buffer, at + PullRequestFlyweight.GRANTED_BYTES_OFFSET);
    return within(0, granted, u32(buffer, at + PullRequestFlyweight.MAX_LENGTH_OFFSET));
  }

  private static CounterId validateGrant(
      int length, int fixedLength, long grantOffset, long grantLength) {
    return length != fixedLength
        ? CounterId.DROP_RECORD_LENGTH
        : within(grantOffset, grantLength, MESSAGE_END_MAX);
  }

  private CounterId validateUnsolicited(ByteBuffer buffer, int at, int length) {
    unsolicited.wrap(buffer, at);
    int fixed = PushUnsolicitedDataFlyweight.fixedLength(unsolicited.flags());
    if (length < fixed) {
      return CounterId.DROP_RECORD_LENGTH;
    }
    int headerLength = unsolicited.headerLength();
    if (headerLength > Limits.HEADER_LENGTH_MAX || headerLength > length - fixed) {
      return CounterId.DROP_RECORD_LENGTH;
    }
    if (unsolicited.isWhole()) {
      return null;
    }
    if (unsolicited.hasHeader() && unsolicited.offset() != 0) {
      return CounterId.DROP_RECORD_FIELD;
    }
    return within(unsolicited.offset(), unsolicited.payloadLength(), unsolicited.total());
  }

  private CounterId validatePullData(ByteBuffer buffer, int at, int length) {
    pullData.wrap(buffer, at);
    if (length < PullDataFlyweight.fixedLength(pullData.flags())) {
      return CounterId.DROP_RECORD_LENGTH;
    }
    return pullData.isWhole()
        ? null
        : within(pullData.offset(), pullData.payloadLength(), pullData.total());
  }

  private static CounterId validateCompleted(ByteBuffer buffer, int at, int length) {
    int words = buffer.get(at + CompletedFlyweight.WORD_COUNT_OFFSET) & 0xFF;
    if (buffer.get(at + CompletedFlyweight.RESERVED_OFFSET) != 0) {
      return CounterId.DROP_FLAGS;
    }
    if (words > CompletedFlyweight.WORD_COUNT_MAX
        || length != CompletedFlyweight.recordLength(words)) {
      return CounterId.DROP_RECORD_LENGTH;
    }
    int wordOffset = buffer.getShort(at + CompletedFlyweight.WORD_OFFSET_OFFSET) & 0xFFFF;
    return within(wordOffset, words, COMPLETED_WORD_SPAN_MAX);
  }

  private static CounterId within(long offset, long length, long end) {
    return offset + length <= end ? null : CounterId.DROP_RECORD_FIELD;
  }

  private static CounterId atMost(int length, int lengthMax) {
    return length <= lengthMax ? null : CounterId.DROP_RECORD_LENGTH;
  }

  private static long u32(ByteBuffer buffer, int index) {
    return buffer.getInt(index) & 0xFFFF_FFFFL;
  }
}
