package io.rtransport.simulator.script;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The fields of packets and records, in their order, as docs/reference/protocol.md sections 3 to 6
 * have them: {@code name:bytes}, a name of digits being a constant. Written down once more, for
 * what is tested must not check itself.
 */
final class Layout {
  /** Behind the clear header of a numbered packet; hints and ACK block follow, by the flags. */
  static final String NUMBERED = "psn:4 request:4 data:4 path:1 sequence:3 flags:1 count:1 0:2";

  static final String ACK_BODY =
      "request:4 data:4 flags:1 requestWords:1 dataWords:1 paths:1 requestOffset:2 dataOffset:2 credit:8";

  static final String ACK_PATH = "path:1 highest:3 held:4 duplicates:4";

  private static final Map<String, Integer> PACKETS = new LinkedHashMap<>();
  private static final Map<String, Integer> RECORDS = new LinkedHashMap<>();
  private static final Map<String, String> FIELDS = new LinkedHashMap<>();

  static {
    packet(1, "REQUEST", NUMBERED);
    packet(2, "DATA", NUMBERED);
    packet(7, "ACK", ACK_BODY);
    packet(8, "PING", "id:4 path:1 0:3 0:8 0:8");
    packet(9, "PONG", "id:4 path:1 0:3 credit:8");
    packet(10, "PATH_CHALLENGE", "number:8");
    packet(11, "PATH_RESPONSE", "number:8");
    packet(11, "PATH_RESPONSE_OF", "number:8 path:1 flags:1 0:2"); // with a path id, to send only
    packet(12, "CLOSE", "code:4 flags:1 0:3 finalRequest:4 finalData:4");
    packet(13, "CLOSE_ACK", "flags:1 0:3");
    packet(14, "RESET", "cid:4 cookie:8");

    record(0x00, "PAD", "");
    record(0x01, "PUSH_SOLICITED_REQUEST", "rsn:4 ssn:4 length:4");
    record(0x02, "PULL_REQUEST", "rsn:4 max:4 granted:4");
    record(0x03, "RESYNC", "rsn:4 ssn:4 credit:4");
    record(0x10, "PUSH_GRANT", "rsn:4 ssn:4 offset:4 length:4");
    record(0x11, "PULL_GRANT", "rsn:4 offset:4 length:4");
    record(0x12, "PUSH_SOLICITED_DATA", "rsn:4 offset:4");
    record(0x13, "PUSH_UNSOLICITED_DATA", "rsn:4");
    record(0x14, "PULL_DATA", "rsn:4");
    record(0x15, "COMPLETED", "base:4 wordOffset:2 words:1 0:1 credit:8");
    record(0x16, "COMPLETE_IN_ERROR", "rsn:4 code:4");
    record(0x17, "CANCEL", "rsn:4");
    record(0x18, "FIN", "final:4");
    record(0x19, "ADD_NI", "version:4");
    record(0x1A, "REMOVE_NI", "version:4");
  }

  private Layout() {}

  private static void packet(int type, String name, String fields) {
    PACKETS.put(name, type);
    FIELDS.put(name, fields);
  }

  private static void record(int type, String name, String fields) {
    RECORDS.put(name, type);
    FIELDS.put(name, fields);
  }

  static int packetType(String name) {
    return known(PACKETS, name);
  }

  static int recordType(String name) {
    return known(RECORDS, name);
  }

  private static int known(Map<String, Integer> types, String name) {
    Integer type = types.get(name);
    if (type == null) {
      throw new IllegalArgumentException(name + " is none of " + types.keySet());
    }
    return type;
  }

  static String packetName(int type) {
    return nameIn(PACKETS, type);
  }

  static String recordName(int type) {
    return nameIn(RECORDS, type);
  }

  private static String nameIn(Map<String, Integer> types, int type) {
    return types.entrySet().stream()
        .filter(entry -> entry.getValue() == type)
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse("type" + type);
  }

  static String fields(String name) {
    return FIELDS.get(name);
  }
}
