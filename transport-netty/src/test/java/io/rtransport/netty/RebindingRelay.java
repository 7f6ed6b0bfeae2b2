package io.rtransport.netty;

import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * Carries datagrams between one client and a server, and shows the server another source port every
 * second, or sooner every so many bytes, and once another address: what a translator of addresses
 * does that forgets. What comes to an old port is lost.
 */
final class RebindingRelay extends UdpRelay {
  private static final long PERIOD_NS = 1_000_000_000L;
  private static final int PATH_CHALLENGE = 10;
  private static final int PATH_RESPONSE = 11;

  private final long changeBytes;
  private final int hostChange;
  private long changedNs = System.nanoTime();
  private long carriedBytes;
  private long unvalidatedIn;
  private long unvalidatedOut;
  private boolean isValidated = true; // the first port is the handshake's
  private volatile int changes;
  private volatile String violation = "";

  /**
   * @param hostChange at which change the address becomes another too
   */
  RebindingRelay(InetSocketAddress server, long changeBytes, int hostChange) throws IOException {
    super(server);
    this.changeBytes = changeBytes;
    this.hostChange = hostChange;
    start();
  }

  int changes() {
    return changes;
  }

  /**
   * What the server sent to a port that had not been validated, if it was more than it may; else
   * empty.
   */
  String violation() {
    return violation;
  }

  @Override
  boolean passes(ByteBuffer datagram, boolean isOutbound) throws IOException {
    if (isOutbound) {
      onToServer(datagram);
    } else if (!isValidated) {
      onToUnvalidated(datagram);
    }
    return true;
  }

  private void onToServer(ByteBuffer datagram) throws IOException {
    carriedBytes += datagram.remaining();
    long nowNs = System.nanoTime();
    if (nowNs - changedNs >= PERIOD_NS || carriedBytes >= changeBytes) {
      change(nowNs);
    }
    unvalidatedIn += datagram.remaining();
    isValidated |= datagram.get(1) == PATH_RESPONSE;
  }

  private void change(long nowNs) throws IOException {
    changedNs = nowNs;
    carriedBytes = 0;
    unvalidatedIn = 0;
    unvalidatedOut = 0;
    isValidated = false;
    int next = changes + 1;
    moveTo(next < hostChange ? NetUtil.LOCALHOST4 : InetAddress.getByName("127.0.0.2"));
    changes = next;
  }

  private void onToUnvalidated(ByteBuffer datagram) {
    unvalidatedOut += datagram.remaining();
    if (datagram.get(1) != PATH_CHALLENGE || unvalidatedOut > 3 * unvalidatedIn) {
      violation = "type " + datagram.get(1) + ", " + unvalidatedOut + " bytes for " + unvalidatedIn;
    }
  }
}
