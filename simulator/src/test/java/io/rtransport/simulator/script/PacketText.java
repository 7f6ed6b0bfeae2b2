package io.rtransport.simulator.script;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A packet as a script writes it: a name, then keys and values; behind a colon its records, each
 * the same way, with semicolons between. An expectation names what it cares for; a packet to be
 * sent, what differs from the default.
 */
final class PacketText {
  /** A name with keys and values: a packet's or a record's. */
  static final class Part {
    final String name;
    final Map<String, String> fields = new LinkedHashMap<>();

    Part(String name) {
      this.name = name;
    }

    static Part parse(String text) {
      String[] words = text.strip().split(" +");
      Part part = new Part(words[0]);
      for (int i = 1; i < words.length; i += 2) {
        if (i + 1 == words.length) {
          throw new IllegalArgumentException(words[i] + " has no value");
        }
        part.fields.put(words[i], words[i + 1]);
      }
      return part;
    }

    Part put(String key, Object value) {
      fields.put(key, String.valueOf(value));
      return this;
    }

    long number(String key, long otherwise) {
      String text = fields.get(key);
      return text == null ? otherwise : Numbers.number(text);
    }

    @Override
    public String toString() {
      StringBuilder text = new StringBuilder(name);
      fields.forEach((key, value) -> text.append(' ').append(key).append(' ').append(value));
      return text.toString();
    }
  }

  final Part head;

  /** Null where the script does not say: any. */
  final List<Part> records;

  PacketText(Part head, List<Part> records) {
    this.head = head;
    this.records = records;
  }

  /** Reads what stands in a script; {@code $name} is replaced where it is known. */
  static PacketText parse(String text, Map<String, String> variables) {
    String known = text;
    for (Map.Entry<String, String> variable : variables.entrySet()) {
      known = known.replace("$" + variable.getKey(), variable.getValue());
    }
    int colon = known.indexOf(':');
    if (colon < 0) {
      return new PacketText(Part.parse(known), null);
    }
    List<Part> records = new ArrayList<>();
    for (String record : known.substring(colon + 1).split(";")) {
      if (!record.isBlank()) {
        records.add(Part.parse(record));
      }
    }
    return new PacketText(Part.parse(known.substring(0, colon)), records);
  }

  /**
   * Compares what was sent with this expectation; what it calls {@code $name} is remembered.
   *
   * @return what differs, null for nothing
   */
  String differenceFrom(PacketText sent, Map<String, String> variables) {
    String difference = difference(head, sent.head, variables);
    if (difference != null || records == null) {
      return difference;
    }
    if (records.size() != sent.records.size()) {
      return records.size() + " records expected";
    }
    for (int i = 0; i < records.size(); i++) {
      difference = difference(records.get(i), sent.records.get(i), variables);
      if (difference != null) {
        return difference;
      }
    }
    return null;
  }

  private static String difference(Part expected, Part sent, Map<String, String> variables) {
    if (!expected.name.equals(sent.name)) {
      return expected.name + " expected";
    }
    for (Map.Entry<String, String> field : expected.fields.entrySet()) {
      String value = sent.fields.get(field.getKey());
      String wanted = field.getValue();
      if (wanted.startsWith("$")) {
        variables.put(wanted.substring(1), value);
      } else if (!isEqual(wanted, value)) {
        return field.getKey() + " " + wanted + " expected";
      }
    }
    return null;
  }

  private static boolean isEqual(String wanted, String value) {
    if (wanted.equals(value)) {
      return true;
    }
    if (value == null) {
      return wanted.equals("none");
    }
    if (wanted.contains("..") && !wanted.contains(",") && value.matches("-?[0-9]+")) {
      String[] range = wanted.split("\\.\\.");
      long number = Long.parseLong(value);
      return number >= Numbers.number(range[0]) && number <= Numbers.number(range[1]);
    }
    return wanted.matches("[0-9]+[km]|0x[0-9a-f]+")
        && value.equals(Long.toString(Numbers.number(wanted)));
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(head.toString());
    if (records != null && !records.isEmpty()) {
      text.append(": ");
      for (int i = 0; i < records.size(); i++) {
        text.append(i == 0 ? "" : "; ").append(records.get(i));
      }
    }
    return text.toString();
  }
}
