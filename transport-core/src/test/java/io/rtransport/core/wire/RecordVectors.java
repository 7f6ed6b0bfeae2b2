package io.rtransport.core.wire;

import static io.rtransport.core.wire.VectorDecoder.u32;
import static io.rtransport.core.wire.VectorDecoder.u64;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;

/** One record to the JSON form of the vectors, and back. */
final class RecordVectors {
  private RecordVectors() {}

  /** Reads the record at {@code at}; its length. */
  static int decode(ObjectNode to, ByteBuffer buffer, int at) {
    RecordFlyweight record = new RecordFlyweight().wrap(buffer, at);
    to.put("type", RecordType.name(record.type())).put("flags", record.flags());
    switch (record.type()) {
      case RecordType.PAD -> to.put("length", record.length());
      case RecordType.PUSH_SOLICITED_REQUEST -> {
        var f = new PushSolicitedRequestFlyweight().wrap(buffer, at);
        to.put("rsn", u32(f.rsn())).put("ssn", u32(f.ssn()));
        to.put("messageLength", f.messageLength());
        to.put("header", Vectors.hex(buffer, f.headerOffset(), f.headerLength()));
      }
      case RecordType.PULL_REQUEST -> {
        var f = new PullRequestFlyweight().wrap(buffer, at);
        to.put("rsn", u32(f.rsn())).put("maxLength", f.maxLength());
        to.put("grantedBytes", f.grantedBytes());
        to.put("header", Vectors.hex(buffer, f.headerOffset(), f.headerLength()));
      }
      case RecordType.RESYNC -> {
        var f = new ResyncFlyweight().wrap(buffer, at);
        to.put("rsn", u32(f.rsn())).put("ssn", u32(f.ssn())).put("creditBytes", f.creditBytes());
      }
      case RecordType.PUSH_GRANT -> {
        var f = new PushGrantFlyweight().wrap(buffer, at);
        to.put("rsn", u32(f.rsn())).put("ssn", u32(f.ssn()));
        to.put("offset", f.offset()).put("grantLength", f.grantLength());
      }
      case RecordType.PULL_GRANT -> {
        var f = new PullGrantFlyweight().wrap(buffer, at);
        to.put("rsn", u32(f.rsn())).put("offset", f.offset()).put("grantLength", f.grantLength());
      }
      case RecordType.PUSH_SOLICITED_DATA -> {
        var f = new PushSolicitedDataFlyweight().wrap(buffer, at);
        to.put("rsn", u32(f.rsn())).put("offset", f.offset());
        to.put("payload", Vectors.hex(buffer, f.payloadOffset(), f.payloadLength()));
      }
      case RecordType.PUSH_UNSOLICITED_DATA -> {
        var f = new PushUnsolicitedDataFlyweight().wrap(buffer, at);
        to.put("rsn", u32(f.rsn()));
        if (!f.isWhole()) {
          to.put("offset", f.offset()).put("total", f.total());
        } else if (f.offset() != 0 || f.total() != f.payloadLength()) {
          throw new AssertionError("whole: offset=" + f.offset() + " total=" + f.total());
        }
        if (f.hasHeader()) {
          to.put("header", Vectors.hex(buffer, f.headerOffset(), f.headerLength()));
        }
        to.put("payload", Vectors.hex(buffer, f.payloadOffset(), f.payloadLength()));
      }
      case RecordType.PULL_DATA -> {
        var f = new PullDataFlyweight().wrap(buffer, at);
        to.put("rsn", u32(f.rsn()));
        if (!f.isWhole()) {
          to.put("offset", f.offset()).put("total", f.total());
        } else if (f.offset() != 0 || f.total() != f.payloadLength()) {
          throw new AssertionError("whole: offset=" + f.offset() + " total=" + f.total());
        }
        to.put("payload", Vectors.hex(buffer, f.payloadOffset(), f.payloadLength()));
      }
      case RecordType.COMPLETED -> {
        var f = new CompletedFlyweight().wrap(buffer, at);
        to.put("baseRsn", u32(f.baseRsn())).put("wordOffset", f.wordOffset());
        to.put("creditLimit", u64(f.creditLimit()));
        ArrayNode words = to.putArray("words");
        for (int i = 0; i < f.wordCount(); i++) {
          words.add(u64(f.word(i)));
        }
      }
      case RecordType.COMPLETE_IN_ERROR -> {
        var f = new CompleteInErrorFlyweight().wrap(buffer, at);
        to.put("rsn", u32(f.rsn())).put("code", u32(f.code()));
        to.put("text", WireText.read(buffer, f.textOffset(), f.textLength()));
      }
      case RecordType.CANCEL -> to.put("rsn", u32(new CancelFlyweight().wrap(buffer, at).rsn()));
      case RecordType.FIN ->
          to.put("finalRsn", u32(new FinFlyweight().wrap(buffer, at).finalRsn()));
      case RecordType.ADD_NI, RecordType.REMOVE_NI -> {
        var f = new NiFlyweight().wrap(buffer, at);
        to.put("version", u32(f.version())).put("nid", f.nid());
      }
      default -> throw new AssertionError("record type=" + record.type());
    }
    return record.length();
  }

  /** Writes the record at {@code at}; its length. */
  static int encode(JsonNode from, ByteBuffer buffer, int at) {
    int flags = from.get("flags").asInt();
    int rsn = from.has("rsn") ? VectorEncoder.u32(from, "rsn") : 0;
    byte[] header = bytes(from, "header");
    byte[] payload = bytes(from, "payload");
    switch (from.get("type").asText()) {
      case "PAD" -> {
        int length = from.get("length").asInt();
        new RecordFlyweight().wrap(buffer, at).type(RecordType.PAD).flags(0).length(length);
        buffer.put(at + RecordFlyweight.HEADER_LENGTH, new byte[length - 4]);
      }
      case "PUSH_SOLICITED_REQUEST" -> {
        var f = new PushSolicitedRequestFlyweight().wrapNew(buffer, at).rsn(rsn);
        f.ssn(VectorEncoder.u32(from, "ssn")).messageLength(from.get("messageLength").asLong());
        buffer.put(f.headerLength(header.length).headerOffset(), header);
      }
      case "PULL_REQUEST" -> {
        var f = new PullRequestFlyweight().wrapNew(buffer, at).rsn(rsn);
        f.maxLength(from.get("maxLength").asLong());
        f.grantedBytes(from.get("grantedBytes").asLong());
        buffer.put(f.headerLength(header.length).headerOffset(), header);
      }
      case "RESYNC" -> {
        var f = new ResyncFlyweight().wrapNew(buffer, at).rsn(rsn);
        f.ssn(VectorEncoder.u32(from, "ssn")).creditBytes(from.get("creditBytes").asLong());
        f.flags(flags);
      }
      case "PUSH_GRANT" -> {
        var f = new PushGrantFlyweight().wrapNew(buffer, at).rsn(rsn);
        f.ssn(VectorEncoder.u32(from, "ssn")).offset(from.get("offset").asLong());
        f.grantLength(from.get("grantLength").asLong());
      }
      case "PULL_GRANT" -> {
        var f = new PullGrantFlyweight().wrapNew(buffer, at).rsn(rsn);
        f.offset(from.get("offset").asLong()).grantLength(from.get("grantLength").asLong());
      }
      case "PUSH_SOLICITED_DATA" -> {
        var f = new PushSolicitedDataFlyweight().wrapNew(buffer, at).rsn(rsn);
        f.offset(from.get("offset").asLong()).payloadLength(payload.length);
        buffer.put(f.payloadOffset(), payload);
      }
      case "PUSH_UNSOLICITED_DATA" -> {
        var f = new PushUnsolicitedDataFlyweight().wrapNew(buffer, at, flags).rsn(rsn);
        if (!f.isWhole()) {
          f.offset(from.get("offset").asLong()).total(from.get("total").asLong());
        }
        if (f.hasHeader()) {
          buffer.put(f.headerLength(header.length).headerOffset(), header);
        }
        buffer.put(f.payloadLength(payload.length).payloadOffset(), payload);
      }
      case "PULL_DATA" -> {
        var f = new PullDataFlyweight().wrapNew(buffer, at, flags).rsn(rsn);
        if (!f.isWhole()) {
          f.offset(from.get("offset").asLong()).total(from.get("total").asLong());
        }
        buffer.put(f.payloadLength(payload.length).payloadOffset(), payload);
      }
      case "COMPLETED" -> {
        JsonNode words = from.get("words");
        var f = new CompletedFlyweight().wrapNew(buffer, at).words(words.size());
        f.baseRsn(VectorEncoder.u32(from, "baseRsn"));
        f.wordOffset(from.get("wordOffset").asInt());
        f.creditLimit(VectorEncoder.u64(from, "creditLimit"));
        for (int i = 0; i < words.size(); i++) {
          f.word(i, VectorEncoder.parse(words.get(i)));
        }
      }
      case "COMPLETE_IN_ERROR" -> {
        var f = new CompleteInErrorFlyweight().wrapNew(buffer, at).rsn(rsn);
        f.code(VectorEncoder.u32(from, "code")).flags(flags);
        int max = CompleteInErrorFlyweight.TEXT_LENGTH_MAX;
        f.textLength(WireText.put(buffer, f.textOffset(), max, from.get("text").asText()));
      }
      case "CANCEL" -> new CancelFlyweight().wrapNew(buffer, at).rsn(rsn);
      case "FIN" -> {
        int finalRsn = VectorEncoder.u32(from, "finalRsn");
        new FinFlyweight().wrapNew(buffer, at).finalRsn(finalRsn).flags(flags);
      }
      case "ADD_NI", "REMOVE_NI" -> {
        boolean isAdded = from.get("type").asText().equals("ADD_NI");
        int type = isAdded ? RecordType.ADD_NI : RecordType.REMOVE_NI;
        var f = new NiFlyweight().wrapNew(buffer, at, type);
        f.version(VectorEncoder.u32(from, "version")).nid(from.get("nid").asText());
      }
      default -> throw new AssertionError(from.toString());
    }
    return new RecordFlyweight().wrap(buffer, at).length();
  }

  private static byte[] bytes(JsonNode from, String field) {
    return from.has(field) ? Vectors.bytes(from.get(field).asText()) : new byte[0];
  }
}
