package io.rtransport.netty;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/** One rail between a client and a server, which can go dark. */
public final class DarkRelay extends UdpRelay {
  private volatile boolean isDarkOut;
  private volatile boolean isDarkBack;
  private volatile long carriedOut;
  private volatile long carriedBack;

  /** Carries everything at first. */
  public DarkRelay(InetSocketAddress server) throws IOException {
    super(server);
    start();
  }

  /** Drops everything to the server, or from it, from now on; or carries it again. */
  public void dark(boolean out, boolean backwards) {
    isDarkOut = out;
    isDarkBack = backwards;
  }

  /** Returns the datagrams carried to the server, not those dropped. */
  public long carriedOut() {
    return carriedOut;
  }

  /** Returns the datagrams carried back. */
  long carriedBack() {
    return carriedBack;
  }

  @Override
  boolean passes(ByteBuffer datagram, boolean isOutbound) {
    if (isOutbound ? isDarkOut : isDarkBack) {
      return false;
    }
    if (isOutbound) {
      carriedOut++;
    } else {
      carriedBack++;
    }
    return true;
  }
}
