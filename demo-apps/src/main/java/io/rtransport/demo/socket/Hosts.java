package io.rtransport.demo.socket;

import io.rtransport.core.text.HostPort;
import io.rtransport.core.text.InvalidValueException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** Resolves names to addresses by the system's resolver, and blocks meanwhile. */
public final class Hosts {
  private Hosts() {}

  /**
   * Returns every address of the host, in the resolver's order; {@code name} is the field for the
   * message.
   */
  public static InetSocketAddress[] resolve(String name, HostPort hostPort) {
    try {
      InetAddress[] all = InetAddress.getAllByName(hostPort.host());
      InetSocketAddress[] addresses = new InetSocketAddress[all.length];
      for (int i = 0; i < all.length; i++) {
        addresses[i] = new InetSocketAddress(all[i], hostPort.port());
      }
      return addresses;
    } catch (UnknownHostException e) {
      throw new InvalidValueException(
          name, hostPort.toString(), "an address, or a name that this machine can resolve");
    }
  }

  /** Returns an address as people write it: {@code 127.0.0.1:7400}, {@code [::1]:7400}. */
  public static String text(InetSocketAddress address) {
    InetAddress ip = address.getAddress();
    String host = ip == null ? address.getHostString() : ip.getHostAddress();
    return new HostPort(host, address.getPort()).toString();
  }
}
