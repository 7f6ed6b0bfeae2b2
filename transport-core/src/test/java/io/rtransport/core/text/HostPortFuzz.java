package io.rtransport.core.text;

import io.rtransport.core.fuzz.FuzzInput;
import java.util.List;

/**
 * Addresses and lists of them as people may type them: refused in one line, or a host and a port
 * that are in the text, written back to the same address, and of which a list has as many as it has
 * commas and one.
 */
public final class HostPortFuzz {
  private HostPortFuzz() {}

  /** The least port, then the text. */
  public static void fuzzerTestOneInput(byte[] data) {
    FuzzInput input = new FuzzInput(data);
    int portMin = input.below(2);
    String text = input.text();
    List<HostPort> addresses;
    try {
      addresses = HostPort.parseList("--to", text, portMin);
    } catch (InvalidValueException e) {
      require(e.getMessage().chars().noneMatch(Character::isISOControl), "control character");
      require(e.getMessage().length() < 400, "a long message");
      require(!isPlain(text), "refused: " + text);
      return;
    }
    require(addresses.size() == text.chars().filter(c -> c == ',').count() + 1, "count");
    require(addresses.size() <= HostPort.LIST_LENGTH_MAX, "too many");
    String[] parts = text.split(",", -1);
    for (int i = 0; i < parts.length; i++) {
      HostPort address = addresses.get(i);
      require(address.port() >= portMin && address.port() <= 65_535, "port");
      require(parts[i].contains(address.host()), "host");
      boolean isV6 = address.host().indexOf(':') >= 0;
      require(isV6 == parts[i].strip().startsWith("["), "brackets");
      boolean isClean =
          address.host().chars().allMatch(c -> c > ' ' && c < 127 && c != '/' && c != '[');
      require(isClean && !address.host().isEmpty(), "a host that is none: " + address.host());
      require(HostPort.parse("x", address.toString(), portMin).equals(address), "written");
    }
  }

  /** Small letters, a colon, and a small port: nobody may refuse that. */
  private static boolean isPlain(String text) {
    return text.matches("[a-z]{1,60}(\\.[a-z]{1,60}){0,3}:[1-9][0-9]{0,3}");
  }

  private static void require(boolean isRight, String what) {
    if (!isRight) {
      throw new AssertionError(what);
    }
  }
}
