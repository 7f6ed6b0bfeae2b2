package io.rtransport.netty;

import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Loopback addresses for whoever binds later, or again after an end. Their ports are below those
 * that Linux gives to sockets without one, so no socket of another test takes them meanwhile.
 */
public final class FreePort {
  private static final int FIRST = 20_000;
  private static final int COUNT = 12_000;

  /** Each JVM of the tests begins elsewhere. */
  private static final AtomicInteger NEXT =
      new AtomicInteger((int) (ProcessHandle.current().pid() * 61 % COUNT));

  private FreePort() {}

  /** Returns one that nobody has now, another one each time. */
  public static InetSocketAddress next() throws IOException {
    while (true) {
      int port = FIRST + NEXT.getAndIncrement() % COUNT;
      InetSocketAddress address = new InetSocketAddress(NetUtil.LOCALHOST4, port);
      try (DatagramSocket socket = new DatagramSocket(address)) {
        return address;
      } catch (BindException e) {
        // somebody's; the next one, then
      }
    }
  }
}
