package io.rtransport.demo.protocol;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Page of a target's files, in the order of their names: the answer to a {@link Operation#LIST}.
 * Entries follow each other, each {@code 0 size u64 | 8 modified u64, milliseconds since 1970 | 16
 * name length u16 | 18 name, UTF-8}. An empty page is the end.
 */
public final class Listing {
  /** Longest page, in bytes. */
  public static final int PAGE_LENGTH_MAX = 32 * 1024;

  private static final int FIXED_LENGTH = 18;

  private Listing() {}

  /** One file of a page. */
  public record Entry(String name, long sizeBytes, long modifiedMillis) {}

  /** Writes as many of the entries as fit a page, from the first. */
  public static byte[] encode(List<Entry> entries) {
    ByteBuffer page = ByteBuffer.allocate(PAGE_LENGTH_MAX);
    for (Entry entry : entries) {
      byte[] name = entry.name().getBytes(StandardCharsets.UTF_8);
      if (page.remaining() < FIXED_LENGTH + name.length) {
        break;
      }
      page.putLong(entry.sizeBytes())
          .putLong(entry.modifiedMillis())
          .putShort((short) name.length)
          .put(name);
    }
    byte[] bytes = new byte[page.flip().remaining()];
    page.get(bytes);
    return bytes;
  }

  /**
   * Reads a page. Null when it is invalid: an entry is cut short, or a name is empty, too long, not
   * UTF-8 or not above the one before it.
   */
  public static List<Entry> decode(byte[] page, String after) {
    ByteBuffer from = ByteBuffer.wrap(page);
    List<Entry> entries = new ArrayList<>();
    String previous = after;
    while (from.hasRemaining()) {
      if (from.remaining() < FIXED_LENGTH) {
        return null;
      }
      long sizeBytes = from.getLong();
      long modifiedMillis = from.getLong();
      int length = from.getShort() & 0xFFFF;
      if (sizeBytes < 0
          || length == 0
          || length > RequestHeader.NAME_LENGTH_MAX
          || length > from.remaining()) {
        return null;
      }
      String name = RequestHeader.utf8(from.slice(from.position(), length));
      if (name == null || name.compareTo(previous) <= 0) {
        return null;
      }
      from.position(from.position() + length);
      entries.add(new Entry(name, sizeBytes, modifiedMillis));
      previous = name;
    }
    return entries;
  }
}
