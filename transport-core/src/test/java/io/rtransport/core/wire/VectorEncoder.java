package io.rtransport.core.wire;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Builds the packet that a vector describes by the flyweights' setters. */
final class VectorEncoder {
  private VectorEncoder() {}

  /** Writes the packet at {@code at}, sealed; its length. */
  static int encode(JsonNode from, ByteBuffer buffer, int at) {
    int type = type(from.get("type").asText());
    int length = body(type, from, buffer, at) - at + Integrity.TRAILER_LENGTH;
    new ClearHeaderFlyweight()
        .wrap(buffer, at)
        .version(ClearHeaderFlyweight.VERSION)
        .type(type)
        .length(length)
        .destinationCid(u32(from, "destinationCid"))
        .cookie(u64(from, "cookie"));
    new Integrity().seal(buffer, at, length);
    return length;
  }

  /** Writes all but clear header and trailer; where the trailer begins. */
  private static int body(int type, JsonNode from, ByteBuffer buffer, int at) {
    switch (type) {
      case PacketType.REQUEST, PacketType.DATA:
        return numbered(from, buffer, at);
      case PacketType.CONNECT:
        {
          ConnectFlyweight f = new ConnectFlyweight().wrap(buffer, at);
          int limit = at + from.get("packetLength").asInt() - Integrity.TRAILER_LENGTH;
          int tlvLength = tlvs(from, buffer, f.tlvOffset(), limit);
          f.nonce(u64(from, "nonce")).incarnation(u64(from, "incarnation"));
          f.sourceCid(u32(from, "sourceCid")).attempt(from.get("attempt").asInt());
          f.reserved(0).tlvLength(tlvLength).cookie(u64(from, "sourceCookie"));
          for (int i = f.tlvOffset() + tlvLength; i < limit; i++) {
            buffer.put(i, (byte) 0);
          }
          return limit;
        }
      case PacketType.ACCEPT:
        {
          AcceptFlyweight f = new AcceptFlyweight().wrap(buffer, at);
          int tlvLength = tlvs(from, buffer, f.tlvOffset(), buffer.capacity());
          f.nonce(u64(from, "nonce")).incarnation(u64(from, "incarnation"));
          f.sourceCid(u32(from, "sourceCid")).attempt(from.get("attempt").asInt());
          f.reserved(0).tlvLength(tlvLength).cookie(u64(from, "sourceCookie"));
          return f.tlvOffset() + tlvLength;
        }
      case PacketType.RETRY:
        {
          RetryFlyweight f = new RetryFlyweight().wrap(buffer, at).nonce(u64(from, "nonce"));
          byte[] token = Vectors.bytes(from.get("token").asText());
          f.tokenLength(token.length).reserved(0);
          buffer.put(f.tokenOffset(), token);
          return f.tokenOffset() + token.length;
        }
      case PacketType.REJECT:
        {
          RejectFlyweight f = new RejectFlyweight().wrap(buffer, at).nonce(u64(from, "nonce"));
          f.code(u32(from, "code"));
          return f.textOffset() + text(from, buffer, f.textOffset());
        }
      case PacketType.ACK:
        return ack(from, buffer, at + ClearHeaderFlyweight.HEADER_LENGTH);
      case PacketType.PING:
        {
          new PingFlyweight().wrap(buffer, at).id(u32(from, "id")).pathId(path(from));
          int padding = from.get("packetLength").asInt() - PingFlyweight.PACKET_LENGTH;
          int end = at + PingFlyweight.PACKET_LENGTH - Integrity.TRAILER_LENGTH;
          buffer.put(end, new byte[padding]);
          return end + padding;
        }
      case PacketType.PONG:
        {
          PongFlyweight f = new PongFlyweight().wrap(buffer, at).id(u32(from, "id"));
          f.pathId(path(from)).creditLimit(u64(from, "creditLimit"));
          return at + PongFlyweight.PACKET_LENGTH - Integrity.TRAILER_LENGTH;
        }
      case PacketType.PATH_CHALLENGE, PacketType.PATH_RESPONSE:
        {
          PathDataFlyweight f = new PathDataFlyweight().wrap(buffer, at).data(u64(from, "data"));
          int length = from.path("packetLength").asInt(PathDataFlyweight.PACKET_LENGTH);
          int end = at + length - Integrity.TRAILER_LENGTH;
          int pathIdOffset = at + PathDataFlyweight.PATH_ID_OFFSET;
          buffer.put(pathIdOffset, new byte[end - pathIdOffset]);
          if (from.has("pathId")) {
            f.pathId(from.get("flags").asInt() == 0 ? -1 : path(from));
          }
          return end;
        }
      case PacketType.CLOSE:
        {
          CloseFlyweight f = new CloseFlyweight().wrap(buffer, at).code(u32(from, "code"));
          f.flags(from.get("flags").asInt()).finalRequestPsn(u32(from, "finalRequestPsn"));
          f.finalDataPsn(u32(from, "finalDataPsn"));
          return f.textOffset() + text(from, buffer, f.textOffset());
        }
      case PacketType.CLOSE_ACK:
        new CloseAckFlyweight().wrap(buffer, at).flags(from.get("flags").asInt());
        return at + CloseAckFlyweight.PACKET_LENGTH - Integrity.TRAILER_LENGTH;
      case PacketType.RESET:
        {
          ResetFlyweight f = new ResetFlyweight().wrap(buffer, at);
          f.triggerCid(u32(from, "triggerCid")).triggerCookie(u64(from, "triggerCookie"));
          return at + ResetFlyweight.PACKET_LENGTH - Integrity.TRAILER_LENGTH;
        }
      case PacketType.VERSION_NEGOTIATION:
        {
          JsonNode versions = from.get("versions");
          VersionNegotiationFlyweight f =
              new VersionNegotiationFlyweight().wrap(buffer, at).nonce(u64(from, "nonce"));
          f.count(versions.size());
          for (int i = 0; i < versions.size(); i++) {
            f.versionAt(i, versions.get(i).asInt());
          }
          return at + VersionNegotiationFlyweight.FIXED_LENGTH + versions.size();
        }
      default:
        throw new AssertionError("type=" + type);
    }
  }

  private static int numbered(JsonNode from, ByteBuffer buffer, int at) {
    NumberedHeaderFlyweight f = new NumberedHeaderFlyweight().wrap(buffer, at);
    f.psn(u32(from, "psn")).requestAckBase(u32(from, "requestAckBase"));
    f.dataAckBase(u32(from, "dataAckBase")).pathId(path(from));
    f.transmissionSequence(from.get("transmissionSequence").asInt());
    f.flags(from.get("flags").asInt()).reserved(0);
    if (f.hasCompletedRsnHint()) {
      f.completedRsnHint(u32(from, "completedRsnHint"));
    }
    if (f.hasCreditHint()) {
      f.creditHint(u32(from, "creditHint"));
    }
    if (f.hasAckBlock()) {
      ack(from, buffer, f.ackBlockOffset());
    }
    JsonNode records = from.get("records");
    f.recordCount(records.size());
    int record = f.recordsOffset();
    for (JsonNode each : records) {
      record += RecordVectors.encode(each, buffer, record);
    }
    return record;
  }

  private static int ack(JsonNode packet, ByteBuffer buffer, int at) {
    JsonNode from = packet.get("ack");
    JsonNode requestWords = from.get("requestWords");
    JsonNode dataWords = from.get("dataWords");
    JsonNode paths = from.get("paths");
    AckFlyweight f = new AckFlyweight().wrap(buffer, at);
    f.requestBase(u32(from, "requestBase")).dataBase(u32(from, "dataBase"));
    f.flags(from.get("flags").asInt()).requestWordOffset(from.get("requestWordOffset").asInt());
    f.dataWordOffset(from.get("dataWordOffset").asInt()).creditLimit(u64(from, "creditLimit"));
    f.requestWordCount(requestWords.size()).dataWordCount(dataWords.size());
    f.pathCount(paths.size());
    for (int i = 0; i < requestWords.size(); i++) {
      f.requestWord(i, parse(requestWords.get(i)));
    }
    for (int i = 0; i < dataWords.size(); i++) {
      f.dataWord(i, parse(dataWords.get(i)));
    }
    for (int i = 0; i < paths.size(); i++) {
      JsonNode p = paths.get(i);
      long held = p.get("heldMicros").asLong();
      f.path(i, path(p), p.get("highestSequence").asInt(), held, u32(p, "duplicates"));
    }
    return at + f.bodyLength();
  }

  private static int tlvs(JsonNode from, ByteBuffer buffer, int at, int limit) {
    TlvWriter writer = new TlvWriter().wrap(buffer, at, limit);
    for (JsonNode tlv : from.get("tlvs")) {
      int id = tlv.get("id").asInt();
      byte[] value = Vectors.bytes(tlv.get("value").asText());
      ByteBuffer view = ByteBuffer.wrap(value);
      switch (TlvId.isNumber(id) ? value.length : 0) {
        case 1 -> writer.putU8(id, value[0] & 0xFF);
        case 2 -> writer.putU16(id, view.getShort(0) & 0xFFFF);
        case 4 -> writer.putU32(id, view.getInt(0) & 0xFFFF_FFFFL);
        case 8 -> writer.putU64(id, view.getLong(0));
        default -> writer.putBytes(id, value);
      }
    }
    return writer.length();
  }

  private static int text(JsonNode from, ByteBuffer buffer, int at) {
    String text = from.get("text").asText();
    int written = WireText.put(buffer, at, WireText.LENGTH_MAX, text);
    assert written == text.getBytes(StandardCharsets.UTF_8).length : text;
    return written;
  }

  private static int type(String name) {
    for (int type = 1; type < 32; type++) {
      if (PacketType.name(type).equals(name)) {
        return type;
      }
    }
    throw new AssertionError("type=" + name);
  }

  private static int path(JsonNode from) {
    return from.get("pathId").asInt();
  }

  static int u32(JsonNode from, String field) {
    return (int) from.get(field).asLong();
  }

  static long u64(JsonNode from, String field) {
    return parse(from.get(field));
  }

  static long parse(JsonNode hex) {
    return Long.parseUnsignedLong(hex.asText().substring(2), 16);
  }
}
