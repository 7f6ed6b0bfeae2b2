package io.rtransport.core.wire;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;

/** Reads a packet by the flyweights into the JSON form of the vectors. */
final class VectorDecoder {
  private VectorDecoder() {}

  static ObjectNode decode(ByteBuffer buffer, int at, int length) {
    ClearHeaderFlyweight clear = new ClearHeaderFlyweight().wrap(buffer, at);
    ObjectNode to = Vectors.JSON.createObjectNode();
    to.put("type", PacketType.name(clear.type()));
    to.put("destinationCid", u32(clear.destinationCid())).put("cookie", u64(clear.cookie()));
    switch (clear.type()) {
      case PacketType.REQUEST, PacketType.DATA -> numbered(to, buffer, at, length);
      case PacketType.CONNECT -> {
        ConnectFlyweight f = new ConnectFlyweight().wrap(buffer, at);
        to.put("nonce", u64(f.nonce())).put("incarnation", u64(f.incarnation()));
        to.put("sourceCid", u32(f.sourceCid())).put("attempt", f.attempt());
        to.put("sourceCookie", u64(f.cookie())).put("packetLength", length);
        tlvs(to, buffer, f.tlvOffset(), f.tlvLength());
      }
      case PacketType.ACCEPT -> {
        AcceptFlyweight f = new AcceptFlyweight().wrap(buffer, at);
        to.put("nonce", u64(f.nonce())).put("incarnation", u64(f.incarnation()));
        to.put("sourceCid", u32(f.sourceCid())).put("attempt", f.attempt());
        to.put("sourceCookie", u64(f.cookie()));
        tlvs(to, buffer, f.tlvOffset(), f.tlvLength());
      }
      case PacketType.RETRY -> {
        RetryFlyweight f = new RetryFlyweight().wrap(buffer, at);
        to.put("nonce", u64(f.nonce()));
        to.put("token", Vectors.hex(buffer, f.tokenOffset(), f.tokenLength()));
      }
      case PacketType.REJECT -> {
        RejectFlyweight f = new RejectFlyweight().wrap(buffer, at);
        to.put("nonce", u64(f.nonce())).put("code", u32(f.code()));
        to.put("text", WireText.read(buffer, f.textOffset(), f.textLength(length)));
      }
      case PacketType.ACK -> ack(to, buffer, at + ClearHeaderFlyweight.HEADER_LENGTH);
      case PacketType.PING -> {
        PingFlyweight f = new PingFlyweight().wrap(buffer, at);
        to.put("id", u32(f.id())).put("pathId", f.pathId()).put("packetLength", length);
      }
      case PacketType.PONG -> {
        PongFlyweight f = new PongFlyweight().wrap(buffer, at);
        to.put("id", u32(f.id())).put("pathId", f.pathId());
        to.put("creditLimit", u64(f.creditLimit()));
      }
      case PacketType.PATH_CHALLENGE, PacketType.PATH_RESPONSE -> {
        PathDataFlyweight f = new PathDataFlyweight().wrap(buffer, at);
        to.put("data", u64(f.data()));
        if (length > PathDataFlyweight.PACKET_LENGTH) {
          to.put("packetLength", length);
        }
        if (length > PathDataFlyweight.PACKET_LENGTH && clear.type() == PacketType.PATH_RESPONSE) {
          int id = f.pathIdOrNone(length);
          to.put("pathId", Math.max(id, 0)).put("flags", id < 0 ? 0 : 1);
        }
      }
      case PacketType.CLOSE -> {
        CloseFlyweight f = new CloseFlyweight().wrap(buffer, at);
        to.put("code", u32(f.code())).put("flags", f.flags());
        to.put("finalRequestPsn", u32(f.finalRequestPsn()));
        to.put("finalDataPsn", u32(f.finalDataPsn()));
        to.put("text", WireText.read(buffer, f.textOffset(), f.textLength(length)));
      }
      case PacketType.CLOSE_ACK ->
          to.put("flags", new CloseAckFlyweight().wrap(buffer, at).flags());
      case PacketType.RESET -> {
        ResetFlyweight f = new ResetFlyweight().wrap(buffer, at);
        to.put("triggerCid", u32(f.triggerCid())).put("triggerCookie", u64(f.triggerCookie()));
      }
      case PacketType.VERSION_NEGOTIATION -> {
        VersionNegotiationFlyweight f = new VersionNegotiationFlyweight().wrap(buffer, at);
        to.put("nonce", u64(f.nonce()));
        ArrayNode versions = to.putArray("versions");
        for (int i = 0; i < f.count(); i++) {
          versions.add(f.versionAt(i));
        }
      }
      default -> throw new AssertionError("type=" + clear.type());
    }
    return to;
  }

  private static void numbered(ObjectNode to, ByteBuffer buffer, int at, int length) {
    NumberedHeaderFlyweight f = new NumberedHeaderFlyweight().wrap(buffer, at);
    to.put("psn", u32(f.psn())).put("requestAckBase", u32(f.requestAckBase()));
    to.put("dataAckBase", u32(f.dataAckBase())).put("pathId", f.pathId());
    to.put("transmissionSequence", f.transmissionSequence()).put("flags", f.flags());
    if (f.hasCompletedRsnHint()) {
      to.put("completedRsnHint", u32(f.completedRsnHint()));
    }
    if (f.hasCreditHint()) {
      to.put("creditHint", u32(f.creditHint()));
    }
    if (f.hasAckBlock()) {
      ack(to, buffer, f.ackBlockOffset());
    }
    ArrayNode records = to.putArray("records");
    int record = f.recordsOffset();
    for (int i = 0; i < f.recordCount(); i++) {
      record += RecordVectors.decode(records.addObject(), buffer, record);
    }
    if (record != f.recordsEnd(length)) {
      throw new AssertionError("records end at " + record + ", not " + f.recordsEnd(length));
    }
  }

  private static void ack(ObjectNode packet, ByteBuffer buffer, int at) {
    AckFlyweight f = new AckFlyweight().wrap(buffer, at);
    ObjectNode to = packet.putObject("ack");
    to.put("requestBase", u32(f.requestBase())).put("dataBase", u32(f.dataBase()));
    to.put("flags", f.flags()).put("requestWordOffset", f.requestWordOffset());
    to.put("dataWordOffset", f.dataWordOffset()).put("creditLimit", u64(f.creditLimit()));
    ArrayNode requestWords = to.putArray("requestWords");
    for (int i = 0; i < f.requestWordCount(); i++) {
      requestWords.add(u64(f.requestWord(i)));
    }
    ArrayNode dataWords = to.putArray("dataWords");
    for (int i = 0; i < f.dataWordCount(); i++) {
      dataWords.add(u64(f.dataWord(i)));
    }
    ArrayNode paths = to.putArray("paths");
    for (int i = 0; i < f.pathCount(); i++) {
      ObjectNode path = paths.addObject().put("pathId", f.pathId(i));
      path.put("highestSequence", f.pathHighestSequence(i));
      path.put("heldMicros", f.pathHeldMicros(i)).put("duplicates", u32(f.pathDuplicates(i)));
    }
  }

  private static void tlvs(ObjectNode packet, ByteBuffer buffer, int at, int length) {
    ArrayNode to = packet.putArray("tlvs");
    TlvReader reader = new TlvReader().wrap(buffer, at, length);
    while (reader.next()) {
      String value = Vectors.hex(buffer, reader.valueOffset(), reader.length());
      to.addObject().put("id", reader.id()).put("value", value);
    }
  }

  static long u32(int value) {
    return value & 0xFFFF_FFFFL;
  }

  static String u64(long value) {
    return String.format("0x%016x", value);
  }
}
