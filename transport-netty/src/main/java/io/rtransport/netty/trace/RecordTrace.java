package io.rtransport.netty.trace;

import io.rtransport.core.wire.CompleteInErrorFlyweight;
import io.rtransport.core.wire.CompletedFlyweight;
import io.rtransport.core.wire.PullDataFlyweight;
import io.rtransport.core.wire.PullGrantFlyweight;
import io.rtransport.core.wire.PullRequestFlyweight;
import io.rtransport.core.wire.PushGrantFlyweight;
import io.rtransport.core.wire.PushSolicitedDataFlyweight;
import io.rtransport.core.wire.PushSolicitedRequestFlyweight;
import io.rtransport.core.wire.PushUnsolicitedDataFlyweight;
import io.rtransport.core.wire.RecordFlyweight;
import io.rtransport.core.wire.RecordType;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Describes the records of a packet that has passed the door, for human readers. */
final class RecordTrace {
  private static final int RSN_OFFSET = 4;

  private final RecordFlyweight record = new RecordFlyweight();
  private final PushSolicitedRequestFlyweight request = new PushSolicitedRequestFlyweight();
  private final PullRequestFlyweight pullRequest = new PullRequestFlyweight();
  private final PushGrantFlyweight pushGrant = new PushGrantFlyweight();
  private final PullGrantFlyweight pullGrant = new PullGrantFlyweight();
  private final PushSolicitedDataFlyweight solicited = new PushSolicitedDataFlyweight();
  private final PushUnsolicitedDataFlyweight unsolicited = new PushUnsolicitedDataFlyweight();
  private final PullDataFlyweight pullData = new PullDataFlyweight();
  private final CompletedFlyweight completed = new CompletedFlyweight();
  private final CompleteInErrorFlyweight error = new CompleteInErrorFlyweight();

  /** Adds each record at {@code [from, end)} to {@code found}. */
  void read(ByteBuffer buffer, int from, int end, List<Map<String, Object>> found) {
    for (int at = from; at + RecordFlyweight.HEADER_LENGTH <= end; at += record.length()) {
      record.wrap(buffer, at);
      if (record.length() < RecordFlyweight.HEADER_LENGTH) {
        return;
      }
      found.add(describe(buffer, at));
    }
  }

  private Map<String, Object> describe(ByteBuffer buffer, int at) {
    Map<String, Object> map = new LinkedHashMap<>();
    int type = record.type();
    map.put("type", RecordType.name(type));
    if (type == RecordType.PAD) {
      map.put("bytes", record.length());
      return map;
    }
    long rsn = Integer.toUnsignedLong(buffer.getInt(at + RSN_OFFSET));
    map.put(rsnName(type), rsn);
    switch (type) {
      case RecordType.PUSH_SOLICITED_REQUEST ->
          range(map, null, request.wrap(buffer, at).messageLength());
      case RecordType.PULL_REQUEST -> range(map, null, pullRequest.wrap(buffer, at).maxLength());
      case RecordType.PUSH_GRANT -> {
        pushGrant.wrap(buffer, at);
        range(map, pushGrant.offset(), pushGrant.grantLength());
      }
      case RecordType.PULL_GRANT -> {
        pullGrant.wrap(buffer, at);
        range(map, pullGrant.offset(), pullGrant.grantLength());
      }
      case RecordType.PUSH_SOLICITED_DATA -> {
        solicited.wrap(buffer, at);
        range(map, solicited.offset(), solicited.payloadLength());
      }
      case RecordType.PUSH_UNSOLICITED_DATA -> {
        unsolicited.wrap(buffer, at);
        range(map, unsolicited.isWhole() ? 0L : unsolicited.offset(), unsolicited.payloadLength());
      }
      case RecordType.PULL_DATA -> {
        pullData.wrap(buffer, at);
        range(map, pullData.isWhole() ? 0L : pullData.offset(), pullData.payloadLength());
      }
      case RecordType.COMPLETED -> map.put("creditLimit", completed.wrap(buffer, at).creditLimit());
      case RecordType.COMPLETE_IN_ERROR -> {
        error.wrap(buffer, at);
        map.put("code", Integer.toUnsignedLong(error.code()));
        map.put("fromTransport", error.isFromTransport());
      }
      default -> {
        // The RSN is all that the record has.
      }
    }
    return map;
  }

  private static String rsnName(int type) {
    return switch (type) {
      case RecordType.COMPLETED -> "baseRsn";
      case RecordType.FIN -> "finalRsn";
      case RecordType.ADD_NI, RecordType.REMOVE_NI -> "version";
      default -> "rsn";
    };
  }

  private static void range(Map<String, Object> map, Long offset, long length) {
    if (offset != null) {
      map.put("offset", offset);
    }
    map.put("bytes", length);
  }
}
