package io.rtransport.core.text;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Address as people write it: {@code 127.0.0.1:7400}, {@code [::1]:7400}, {@code
 * host.example:7400}. Lists are comma-separated. A name is not resolved here.
 *
 * @param host a name, an IPv4 literal, or an IPv6 literal without its brackets
 * @param port 0..65535; 0 lets the system choose one, where that is allowed
 */
public record HostPort(String host, int port) {
  /** Most addresses in a list: the most network interfaces of a node. */
  public static final int LIST_LENGTH_MAX = 16;

  private static final Pattern NAME_OR_V4 =
      Pattern.compile("[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,252})");
  private static final Pattern V6 =
      Pattern.compile("[0-9a-fA-F:.]{2,45}(?:%[A-Za-z0-9._-]{1,32})?");

  /** Reads one address. {@code portMin} is 0 to listen, 1 to connect. */
  public static HostPort parse(String name, String text, int portMin) {
    String valid =
        "HOST:PORT, such as 127.0.0.1:7400, [::1]:7400 or host.example:7400, with PORT "
            + portMin
            + "..65535";
    int colon = text.lastIndexOf(':');
    if (colon < 1) {
      throw new InvalidValueException(name, text, valid);
    }
    String host = text.substring(0, colon);
    String port = text.substring(colon + 1);
    boolean bracketed = host.startsWith("[") && host.endsWith("]");
    if (bracketed) {
      host = host.substring(1, host.length() - 1);
    }
    boolean isHost =
        bracketed
            ? host.indexOf(':') >= 0 && V6.matcher(host).matches()
            : NAME_OR_V4.matcher(host).matches();
    if (!isHost || !port.matches("\\d{1,5}")) {
      throw new InvalidValueException(name, text, valid);
    }
    int number = Integer.parseInt(port);
    if (number < portMin || number > 65_535) {
      throw new InvalidValueException(name, text, valid);
    }
    return new HostPort(host, number);
  }

  /** Reads a comma-separated list of 1 to {@link #LIST_LENGTH_MAX} addresses. */
  public static List<HostPort> parseList(String name, String text, int portMin) {
    String[] parts = text.split(",", -1);
    if (parts.length > LIST_LENGTH_MAX) {
      throw new InvalidValueException(
          name, text, "1.." + LIST_LENGTH_MAX + " addresses, comma-separated");
    }
    List<HostPort> addresses = new ArrayList<>(parts.length);
    for (String part : parts) {
      addresses.add(parse(name, part.strip(), portMin));
    }
    return List.copyOf(addresses);
  }

  /** Returns the address as written, with brackets around an IPv6 literal. */
  @Override
  public String toString() {
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
  }
}
