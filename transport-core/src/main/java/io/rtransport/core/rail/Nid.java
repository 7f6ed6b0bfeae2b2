package io.rtransport.core.rail;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Name of a network interface: {@code address:port@network}, such as {@code 10.1.0.7:7400@blue} or
 * {@code [fd00::7]:7400@blue}. Without {@code @network} the interface is on the network that has no
 * name. The address is a literal: reading a NID never asks a name server.
 *
 * @param address address with its port, 1..65535
 * @param network name of the network, up to 16 of {@code a-z 0-9 . _ -}; empty for none
 */
public record Nid(InetSocketAddress address, String network) {
  /** Bytes of the longest NID on the wire. */
  public static final int LENGTH_MAX = 96;

  /** Characters of the longest name of a network. */
  public static final int NETWORK_LENGTH_MAX = 16;

  private static final Pattern NETWORK = Pattern.compile("[a-z0-9._-]{0,16}");
  private static final Pattern PORT = Pattern.compile("[1-9][0-9]{0,4}");
  private static final Pattern OCTET = Pattern.compile("0|[1-9][0-9]{0,2}");
  private static final Pattern IPV6 = Pattern.compile("[0-9a-fA-F:][0-9a-fA-F:.]{1,44}");
  private static final int IPV4_MULTICAST = 224;

  public Nid {
    if (address == null || address.isUnresolved() || address.getPort() == 0) {
      throw new IllegalArgumentException(
          "address=" + address + ", valid: an address with a port from 1 to 65535");
    }
    if (!isNetwork(network)) {
      throw new IllegalArgumentException(
          "network=" + network + ", valid: up to 16 of a-z, 0-9, '.', '_' and '-'");
    }
  }

  /** Returns whether {@code name} can name a network. An empty name means none. */
  public static boolean isNetwork(String name) {
    return name != null && NETWORK.matcher(name).matches();
  }

  /** Reads a NID. Returns null if {@code text} is none. */
  public static Nid parse(String text) {
    if (text.length() > LENGTH_MAX) {
      return null;
    }
    int at = text.indexOf('@');
    String network = at < 0 ? "" : text.substring(at + 1);
    String pair = at < 0 ? text : text.substring(0, at);
    int colon = pair.lastIndexOf(':');
    if (colon < 0 || !isNetwork(network) || !PORT.matcher(pair.substring(colon + 1)).matches()) {
      return null;
    }
    int port = Integer.parseInt(pair.substring(colon + 1));
    InetAddress address = address(pair.substring(0, colon));
    return address == null || port > 65_535
        ? null
        : new Nid(new InetSocketAddress(address, port), network);
  }

  /** Reads NIDs that are separated by commas. An element that is no NID is null in the list. */
  public static List<Nid> parseList(String text) {
    List<Nid> nids = new ArrayList<>();
    if (!text.isEmpty()) {
      for (String element : text.split(",", -1)) {
        nids.add(parse(element));
      }
    }
    return nids;
  }

  private static InetAddress address(String text) {
    boolean isBracketed = text.startsWith("[") && text.endsWith("]");
    try {
      return isBracketed ? ipv6(text.substring(1, text.length() - 1)) : ipv4(text);
    } catch (UnknownHostException e) {
      return null; // no literal
    }
  }

  /** Reads an IPv6 literal without a zone. The JDK looks up no text of these characters. */
  private static InetAddress ipv6(String text) throws UnknownHostException {
    boolean isLiteral = IPV6.matcher(text).matches() && text.indexOf(':') >= 0;
    return isLiteral ? InetAddress.getByName(text) : null;
  }

  private static InetAddress ipv4(String text) throws UnknownHostException {
    String[] octets = text.split("\\.", -1);
    if (octets.length != 4) {
      return null;
    }
    byte[] bytes = new byte[4];
    for (int i = 0; i < 4; i++) {
      int value = OCTET.matcher(octets[i]).matches() ? Integer.parseInt(octets[i]) : 256;
      if (value > 255) {
        return null;
      }
      bytes[i] = (byte) value;
    }
    return InetAddress.getByAddress(bytes);
  }

  /** Returns whether the address is one host's: not of a group, not a broadcast, not unset. */
  public boolean isUnicast() {
    InetAddress host = address.getAddress();
    if (host.isAnyLocalAddress() || host.isMulticastAddress()) {
      return false;
    }
    int first = host.getAddress()[0] & 0xFF;
    return !(host instanceof Inet4Address) || first != 0 && first < IPV4_MULTICAST;
  }

  /** Returns the NID as written: the network only if it has a name. */
  @Override
  public String toString() {
    String host = address.getAddress().getHostAddress();
    int zone = host.indexOf('%');
    host = zone < 0 ? host : host.substring(0, zone);
    String name = network.isEmpty() ? "" : "@" + network;
    String shown = address.getAddress() instanceof Inet6Address ? "[" + host + "]" : host;
    return shown + ":" + address.getPort() + name;
  }
}
