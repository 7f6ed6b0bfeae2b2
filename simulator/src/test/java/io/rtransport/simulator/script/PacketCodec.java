package io.rtransport.simulator.script;

import io.rtransport.simulator.script.PacketText.Part;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.zip.CRC32C;

/**
 * Turns a packet of a script into bytes and back. Numbers of all spaces start at −2 in both
 * directions; scripts count them from 0, so each script crosses the wrap.
 */
final class PacketCodec {
  /** Where PSN, RSN, SSN and transmission sequence start. */
  static final int FIRST = -2;

  private static final int HEADER_LENGTH = 16;
  private static final int SEQUENCE_MASK = 0xFF_FFFF;
  private static final List<String> COUNTED =
      List.of(
          "psn",
          "request",
          "data",
          "rsn",
          "ssn",
          "base",
          "final",
          "finalRequest",
          "finalData",
          "hint");
  private static final List<String> TRANSMISSIONS = List.of("sequence", "highest");
  private static final int FLAG_REQUESTED = 1;
  private static final int FLAG_HINT = 2;
  private static final int FLAG_CREDIT = 4;
  private static final int FLAG_BLOCK = 8;
  private static final int WHOLE = 1;
  private static final int HEADER = 2;

  private PacketCodec() {}

  /** The byte of a message at an offset. */
  static byte contentAt(int rsn, long offset) {
    return (byte) (rsn * 31 + offset * 7 + (offset >> 8));
  }

  // ------------------------------------------------------------------ writing

  /**
   * @param cid of our connection, and its {@code cookie}
   * @param sequence of this transmission, counted from 0
   */
  static byte[] encode(PacketText packet, int cid, long cookie, int sequence) {
    ByteBuffer to = ByteBuffer.allocate(16_384);
    Part head = packet.head;
    int type = Layout.packetType(head.name);
    to.position(HEADER_LENGTH);
    if (type <= 2) {
      head.fields.putIfAbsent("sequence", Integer.toString(sequence));
      encodeNumbered(packet, to);
    } else if (type == 7) {
      encodeAck(head, to);
    } else {
      encodeFields(head, Layout.fields(head.name), to);
    }
    int length = to.position() + 4;
    to.put(0, (byte) 1).put(1, (byte) type).putShort(2, (short) length);
    boolean isReset = head.name.equals("RESET");
    to.putInt(4, isReset ? 0 : cid);
    to.putLong(8, isReset ? 0 : cookie ^ head.number("wrongCookie", 0));
    int checksum = checksum(to.array(), length - 4);
    to.putInt(length - 4, checksum ^ (int) head.number("wrongChecksum", 0));
    byte[] bytes = new byte[length];
    to.get(0, bytes);
    return bytes;
  }

  /** Of the first bytes of a packet. */
  static int checksum(byte[] packet, int length) {
    CRC32C crc = new CRC32C();
    crc.update(packet, 0, length);
    return (int) crc.getValue();
  }

  private static void encodeFields(Part part, String layout, ByteBuffer to) {
    for (String field : layout.split(" ")) {
      if (field.isEmpty()) {
        continue;
      }
      String name = field.substring(0, field.indexOf(':'));
      int bytes = Integer.parseInt(field.substring(field.indexOf(':') + 1));
      long value = Character.isDigit(name.charAt(0)) ? Long.parseLong(name) : absolute(part, name);
      for (int i = bytes - 1; i >= 0; i--) {
        to.put((byte) (value >> 8 * i));
      }
    }
  }

  private static long absolute(Part part, String name) {
    long value = part.number(name, 0);
    return COUNTED.contains(name) || TRANSMISSIONS.contains(name) ? value + FIRST : value;
  }

  private static void encodeNumbered(PacketText packet, ByteBuffer to) {
    Part head = packet.head;
    List<Part> records = packet.records == null ? List.of() : packet.records;
    long flags =
        head.number("flags", 0)
            | (head.number("requested", 0) != 0 ? FLAG_REQUESTED : 0)
            | (head.fields.containsKey("hint") ? FLAG_HINT : 0)
            | (head.fields.containsKey("creditHint") ? FLAG_CREDIT : 0);
    head.put("flags", flags).fields.putIfAbsent("count", Integer.toString(records.size()));
    encodeFields(head, Layout.NUMBERED, to);
    if ((flags & FLAG_HINT) != 0) {
      to.putInt((int) absolute(head, "hint"));
    }
    if ((flags & FLAG_CREDIT) != 0) {
      to.putInt((int) head.number("creditHint", 0));
    }
    records.forEach(record -> encodeRecord(record, to));
  }

  private static void encodeRecord(Part record, ByteBuffer to) {
    int start = to.position();
    int type = Layout.recordType(record.name);
    int rsn = (int) record.number("rsn", 0);
    int bytes = (int) record.number("bytes", 0);
    int headerLength = (int) record.number("header", 0);
    int flags = (int) record.number("flags", 0);
    boolean isMessage = type == 0x13 || type == 0x14;
    if (isMessage && !record.fields.containsKey("total")) {
      flags |= WHOLE;
    }
    if (type == 0x13 && headerLength > 0) {
      flags |= HEADER;
    }
    to.put((byte) type).put((byte) flags).putShort((short) 0);
    record.fields.putIfAbsent("credit", type == 0x15 ? "65536" : "0");
    if (type == 0x15) {
      encodeCompleted(record, to);
    } else {
      encodeFields(record, Layout.fields(record.name), to);
    }
    if (isMessage && (flags & WHOLE) == 0) {
      to.putInt((int) record.number("offset", 0)).putInt((int) record.number("total", 0));
    }
    if (type == 0x13 && headerLength > 0) {
      to.putShort((short) headerLength);
    }
    for (int i = 0; i < headerLength; i++) {
      to.put((byte) i);
    }
    for (int i = 0; i < bytes; i++) {
      to.put(contentAt(rsn, record.number("offset", 0) + i));
    }
    byte[] text = record.fields.getOrDefault("text", "").getBytes();
    to.put(text);
    int length = to.position() - start;
    to.putShort(start + 2, (short) record.number("recordLength", length));
  }

  private static void encodeCompleted(Part record, ByteBuffer to) {
    int base = (int) absolute(record, "base");
    long[] words = words(record.fields.get("completed"), base, false);
    record.fields.put("words", Integer.toString(words.length));
    encodeFields(record, Layout.fields(record.name), to);
    for (long word : words) {
      to.putLong(word);
    }
  }

  private static void encodeAck(Part head, ByteBuffer to) {
    long[] requests =
        words(head.fields.get("receivedRequests"), (int) absolute(head, "request"), true);
    long[] data = words(head.fields.get("received"), (int) absolute(head, "data"), true);
    head.put("requestWords", requests.length).put("dataWords", data.length);
    boolean hasPath = head.fields.containsKey("highest");
    head.put("paths", hasPath ? 1 : 0).fields.putIfAbsent("credit", "65536");
    encodeFields(head, Layout.ACK_BODY, to);
    for (long word : requests) {
      to.putLong(word);
    }
    for (long word : data) {
      to.putLong(word);
    }
    if (hasPath) {
      encodeFields(head, Layout.ACK_PATH, to);
    }
  }

  /**
   * Words from the base on with the bits of a set, counted from 0; those below the base set where
   * an acknowledgement wants it.
   */
  private static long[] words(String set, int base, boolean isBelowSet) {
    if (set == null || set.equals("none")) {
      return new long[0];
    }
    TreeSet<Integer> numbers = new TreeSet<>();
    for (String piece : set.split(",")) {
      String[] ends = piece.split("\\.\\.");
      for (int n = Integer.parseInt(ends[0]); n <= Integer.parseInt(ends[ends.length - 1]); n++) {
        numbers.add(n);
      }
    }
    int first = base & ~63;
    long[] words = new long[(numbers.last() + FIRST - first) / 64 + 1];
    for (int number : numbers) {
      int bit = number + FIRST - first;
      words[bit / 64] |= 1L << bit;
    }
    if (isBelowSet) {
      words[0] |= (1L << (base - first)) - 1;
    }
    return words;
  }

  // ------------------------------------------------------------------ reading

  static PacketText decode(byte[] bytes) {
    ByteBuffer from = ByteBuffer.wrap(bytes);
    int type = from.get(1) & 0x1F;
    Part head = new Part(Layout.packetName(type));
    List<Part> records = new ArrayList<>();
    int end = bytes.length - 4;
    from.position(HEADER_LENGTH);
    if (type <= 2) {
      decodeFields(head, Layout.NUMBERED, from);
      decodeBehind(head, from);
      while (from.position() < end) {
        records.add(decodeRecord(from));
      }
    } else if (type == 7) {
      decodeAck(head, "", from);
    } else if (Layout.fields(head.name) != null) {
      decodeFields(head, Layout.fields(head.name), from);
    }
    head.put("length", bytes.length);
    return new PacketText(head, records);
  }

  private static void decodeFields(Part part, String layout, ByteBuffer from) {
    decodeFields(part, "", layout, from);
  }

  private static void decodeFields(Part part, String prefix, String layout, ByteBuffer from) {
    for (String field : layout.split(" ")) {
      if (field.isEmpty()) {
        continue;
      }
      String name = field.substring(0, field.indexOf(':'));
      int bytes = Integer.parseInt(field.substring(field.indexOf(':') + 1));
      long value = 0;
      for (int i = 0; i < bytes; i++) {
        value = value << 8 | from.get() & 0xFF;
      }
      if (COUNTED.contains(name)) {
        part.put(prefix + name, (int) value - FIRST);
      } else if (TRANSMISSIONS.contains(name)) {
        part.put(prefix + name, (value - FIRST) & SEQUENCE_MASK);
      } else if (!Character.isDigit(name.charAt(0))) {
        part.put(prefix + name, value);
      }
    }
  }

  private static void decodeBehind(Part head, ByteBuffer from) {
    long flags = head.number("flags", 0);
    head.put("requested", flags & FLAG_REQUESTED);
    if ((flags & FLAG_HINT) != 0) {
      head.put("hint", from.getInt() - FIRST);
    }
    if ((flags & FLAG_CREDIT) != 0) {
      head.put("creditHint", from.getInt());
    }
    if ((flags & FLAG_BLOCK) != 0) {
      decodeAck(head, "block.", from);
    }
  }

  private static void decodeAck(Part head, String prefix, ByteBuffer from) {
    decodeFields(head, prefix, Layout.ACK_BODY, from);
    int request = (int) head.number(prefix + "request", 0) + FIRST;
    int data = (int) head.number(prefix + "data", 0) + FIRST;
    int requestWords = (int) head.number(prefix + "requestWords", 0);
    int dataWords = (int) head.number(prefix + "dataWords", 0);
    int requestOffset = (int) head.number(prefix + "requestOffset", 0);
    int dataOffset = (int) head.number(prefix + "dataOffset", 0);
    head.put(prefix + "receivedRequests", set(from, request, requestOffset, requestWords));
    head.put(prefix + "received", set(from, data, dataOffset, dataWords));
    for (long i = head.number(prefix + "paths", 0); i > 0; i--) {
      decodeFields(head, prefix, Layout.ACK_PATH, from);
    }
  }

  /** Which numbers at or above the base have their bit, counted from 0. */
  private static String set(ByteBuffer from, int base, int wordOffset, int count) {
    List<Integer> numbers = new ArrayList<>();
    for (int k = 0; k < count; k++) {
      long word = from.getLong();
      for (int bit = 0; bit < 64; bit++) {
        int number = (base & ~63) + 64 * (wordOffset + k) + bit;
        if ((word >>> bit & 1) != 0 && number - base >= 0) {
          numbers.add(number - FIRST);
        }
      }
    }
    return ranges(numbers);
  }

  private static String ranges(List<Integer> numbers) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < numbers.size(); ) {
      int last = i;
      while (last + 1 < numbers.size() && numbers.get(last + 1) == numbers.get(last) + 1) {
        last++;
      }
      text.append(text.isEmpty() ? "" : ",").append(numbers.get(i));
      if (last > i) {
        text.append("..").append(numbers.get(last));
      }
      i = last + 1;
    }
    return text.isEmpty() ? "none" : text.toString();
  }

  private static Part decodeRecord(ByteBuffer from) {
    int start = from.position();
    int type = from.get() & 0xFF;
    int flags = from.get();
    int end = start + (from.getShort() & 0xFFFF);
    Part record = new Part(Layout.recordName(type));
    decodeFields(record, Layout.fields(record.name), from);
    record.put("flags", flags);
    boolean isMessage = type == 0x13 || type == 0x14;
    if (isMessage && (flags & WHOLE) == 0) {
      record.put("offset", from.getInt() & 0xFFFF_FFFFL).put("total", from.getInt());
    }
    if (type == 0x13 && (flags & HEADER) != 0) {
      int headerLength = from.getShort();
      record.put("header", headerLength);
      from.position(from.position() + headerLength);
    }
    if (type == 0x01 || type == 0x02) {
      record.put("header", end - from.position());
    } else if (type == 0x15) {
      int base = (int) record.number("base", 0) + FIRST;
      int offset = (int) record.number("wordOffset", 0);
      record.put("completed", set(from, base, offset, (int) record.number("words", 0)));
    } else if (isMessage || type == 0x12) {
      record.put("bytes", end - from.position());
      requireContent(record, from, end);
    }
    from.position(end);
    return record;
  }

  private static void requireContent(Part record, ByteBuffer from, int end) {
    int rsn = (int) record.number("rsn", 0);
    long offset = record.number("offset", 0);
    for (int at = from.position(); at < end; at++) {
      if (from.get(at) != contentAt(rsn, offset++)) {
        throw new AssertionError("wrong content at " + (offset - 1) + " in " + record);
      }
    }
  }
}
