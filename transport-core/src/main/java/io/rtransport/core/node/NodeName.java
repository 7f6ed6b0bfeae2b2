package io.rtransport.core.node;

import java.nio.charset.StandardCharsets;

/** Names of nodes: 1 to 64 of the letters, digits, '.', '_' and '-'. */
public final class NodeName {
  /** Characters, and bytes, of the longest name. */
  public static final int LENGTH_MAX = 64;

  private NodeName() {}

  /** Returns whether {@code text} can be a name. */
  public static boolean isName(String text) {
    if (text.isEmpty() || text.length() > LENGTH_MAX) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      if (!isLetter && !(c >= '0' && c <= '9') && c != '.' && c != '_' && c != '-') {
        return false;
      }
    }
    return true;
  }

  /** Reads a name from bytes of a peer. Returns null if they are none. */
  public static String read(byte[] bytes, int offset, int lengthBytes) {
    String text = new String(bytes, offset, lengthBytes, StandardCharsets.ISO_8859_1);
    return isName(text) ? text : null;
  }
}
