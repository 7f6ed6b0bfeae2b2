package io.rtransport.netty;

import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.util.Objects;

/**
 * One more way to the peer of a connection, over a network of its own: {@link
 * RtChannelOption#RAILS}.
 *
 * @param local address of this host that the rail leaves from; null: the system chooses it by the
 *     route to {@code remote}. Port 0 lets the system choose the port
 * @param remote address of the peer on that network. Several rails may lead to the same address
 * @see <a href="https://www.rfc-editor.org/rfc/rfc10069">RFC 10069, Multipath QUIC: paths</a>
 */
public record RtRail(InetSocketAddress local, InetSocketAddress remote) {
  public RtRail {
    Objects.requireNonNull(remote, "remote");
    if (remote.isUnresolved() || remote.getPort() == 0) {
      throw new IllegalArgumentException(
          "remote=" + remote + ", valid: a resolved address with a port");
    }
    if (local != null && (local.isUnresolved() || !isOfOneFamily(local, remote))) {
      throw new IllegalArgumentException(
          "local="
              + local
              + ", valid: a resolved address of the family of "
              + remote
              + ", or null");
    }
  }

  private static boolean isOfOneFamily(InetSocketAddress local, InetSocketAddress remote) {
    return local.getAddress() instanceof Inet4Address
        == remote.getAddress() instanceof Inet4Address;
  }

  /** Returns the rail to {@code remote} that leaves from the address that the system chooses. */
  public static RtRail to(InetSocketAddress remote) {
    return new RtRail(null, remote);
  }
}
