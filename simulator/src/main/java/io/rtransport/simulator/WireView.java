package io.rtransport.simulator;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Reader of packets by the numbers of the wire format, written down here a second time. The
 * checkers must not share a mistake with the product's flyweights.
 */
final class WireView {
  static final int REQUEST = 1;
  static final int DATA = 2;
  static final int CONNECT = 3;
  static final int RETRY = 4;
  static final int ACCEPT = 5;
  static final int REJECT = 6;
  static final int ACK = 7;
  static final int PING = 8;
  static final int PONG = 9;
  static final int PATH_CHALLENGE = 10;
  static final int PATH_RESPONSE = 11;
  static final int CLOSE = 12;
  static final int RESET = 14;

  static final int PUSH_SOLICITED_REQUEST = 0x01;
  static final int PULL_REQUEST = 0x02;
  static final int RESYNC = 0x03;
  static final int PUSH_GRANT = 0x10;
  static final int PULL_GRANT = 0x11;
  static final int PUSH_SOLICITED_DATA = 0x12;
  static final int PUSH_UNSOLICITED_DATA = 0x13;
  static final int PULL_DATA = 0x14;
  static final int COMPLETED = 0x15;
  static final int COMPLETE_IN_ERROR = 0x16;

  private static final String[] PACKETS = {
    "?",
    "REQUEST",
    "DATA",
    "CONNECT",
    "RETRY",
    "ACCEPT",
    "REJECT",
    "ACK",
    "PING",
    "PONG",
    "PATH_CHALLENGE",
    "PATH_RESPONSE",
    "CLOSE",
    "CLOSE_ACK",
    "RESET",
    "VERSION_NEGOTIATION"
  };

  private ByteBuffer buffer;
  private int offset;
  private int length;

  WireView wrap(ByteBuffer bytes, int at, int lengthBytes) {
    buffer = bytes;
    offset = at;
    length = lengthBytes;
    return this;
  }

  int type() {
    return buffer.get(offset + 1) & 0x1F;
  }

  boolean isNumbered() {
    return type() == REQUEST || type() == DATA;
  }

  int u8(int at) {
    return buffer.get(offset + at) & 0xFF;
  }

  int u16(int at) {
    return buffer.getShort(offset + at) & 0xFFFF;
  }

  int i32(int at) {
    return buffer.getInt(offset + at);
  }

  long i64(int at) {
    return buffer.getLong(offset + at);
  }

  void copy(int at, byte[] to, int count) {
    buffer.get(offset + at, to, 0, count);
  }

  int psn() {
    return i32(16);
  }

  int requestAckBase() {
    return i32(20);
  }

  int dataAckBase() {
    return i32(24);
  }

  int pathId() {
    return u8(28);
  }

  int transmissionSequence() {
    return i32(28) & 0xFF_FFFF;
  }

  private int hintFlags() {
    return u8(32);
  }

  int recordCount() {
    return u8(33);
  }

  boolean isAckRequested() {
    return (hintFlags() & 1) != 0;
  }

  boolean hasCreditHint() {
    return (hintFlags() & 4) != 0;
  }

  int creditHint() {
    return i32(36 + ((hintFlags() & 2) != 0 ? 4 : 0));
  }

  /** Returns the start of this packet's ACK body, relative to the packet; -1 when it has none. */
  int ackBody() {
    if (type() == ACK) {
      return 16;
    }
    if (!isNumbered() || (hintFlags() & 8) == 0) {
      return -1;
    }
    return 36 + ((hintFlags() & 2) != 0 ? 4 : 0) + ((hintFlags() & 4) != 0 ? 4 : 0);
  }

  private int ackBodyLength(int at) {
    return 24 + 8 * (u8(at + 9) + u8(at + 10)) + 12 * u8(at + 11);
  }

  /** Returns the start of the records, relative to the packet. */
  int recordsStart() {
    int at = 36 + ((hintFlags() & 2) != 0 ? 4 : 0) + ((hintFlags() & 4) != 0 ? 4 : 0);
    return (hintFlags() & 8) != 0 ? at + ackBodyLength(at) : at;
  }

  /** Returns the end of the records, before the CRC. */
  int recordsEnd() {
    return length - 4;
  }

  /** Returns one line about a packet, for people. */
  static String describe(ByteBuffer buffer, int offset, int length) {
    WireView view = new WireView().wrap(buffer, offset, length);
    StringBuilder text = new StringBuilder(96);
    text.append(PACKETS[view.type() < PACKETS.length ? view.type() : 0]).append(' ').append(length);
    if (view.isNumbered()) {
      text.append(String.format(" psn %08x", view.psn()));
      text.append(String.format(" path %d seq %06x", view.pathId(), view.transmissionSequence()));
      text.append(String.format(" ack %08x %08x", view.requestAckBase(), view.dataAckBase()));
      text.append(String.format(" flags %x", view.hintFlags()));
    }
    if (view.type() == CLOSE) {
      byte[] reason = new byte[Math.max(0, length - 36)];
      view.copy(32, reason, reason.length);
      text.append(" code ").append(view.i32(16)).append(' ');
      text.append(new String(reason, StandardCharsets.UTF_8));
    }
    if (view.ackBody() >= 0) {
      describeAck(view, text);
    }
    if (view.isNumbered()) {
      describeRecords(view, text);
    }
    return text.toString();
  }

  private static void describeAck(WireView view, StringBuilder text) {
    int at = view.ackBody();
    text.append(String.format(" {ack %08x %08x", view.i32(at), view.i32(at + 4)));
    text.append(String.format(" flags %x credit %d", view.u8(at + 8), view.i64(at + 16)));
    text.append(String.format(" +%d/+%d", view.u16(at + 12), view.u16(at + 14)));
    for (int i = 0; i < view.u8(at + 9) + view.u8(at + 10); i++) {
      text.append(String.format(" %016x", view.i64(at + 24 + 8 * i)));
    }
    int paths = at + 24 + 8 * (view.u8(at + 9) + view.u8(at + 10));
    for (int i = 0; i < view.u8(at + 11); i++) {
      int path = paths + 12 * i;
      text.append(
          String.format(
              " p%d:%06x held %d dup %d",
              view.u8(path), view.i32(path) & 0xFF_FFFF, view.i32(path + 4), view.i32(path + 8)));
    }
    text.append('}');
  }

  private static void describeRecords(WireView view, StringBuilder text) {
    int at = view.recordsStart();
    for (int i = 0; i < view.recordCount() && at + 4 <= view.recordsEnd(); i++) {
      text.append(String.format(" [%02x.%x %d", view.u8(at), view.u8(at + 1), view.u16(at + 2)));
      int words = Math.min(4, (view.u16(at + 2) - 4) / 4);
      for (int word = 0; word < words; word++) {
        text.append(String.format(" %08x", view.i32(at + 4 + 4 * word)));
      }
      text.append(']');
      at += Math.max(4, view.u16(at + 2));
    }
  }
}
