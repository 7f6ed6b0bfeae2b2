package io.rtransport.loadgen.impair;

import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;

/**
 * Measures how many datagrams a second a proxy carries without impairment. Above that rate, a run
 * measures the proxy.
 */
public final class ProxyLimit {
  private static final long MEASURE_NS = 200_000_000L;
  private static final long WARMUP_NS = 200_000_000L;
  private static final long DRY_NS = 5_000_000L;
  private static final int BURST_DATAGRAMS = 32;
  private static final int ON_THE_WAY_MAX = 1_024;
  private static final int SOCKET_BUFFER_BYTES = 4 << 20;

  private ProxyLimit() {}

  /**
   * Sends datagrams of {@code lengthBytes} through its own proxy on {@code loop} for 0.4 s. Returns
   * datagrams a second, in one direction.
   */
  public static long datagramsPerSecond(EventLoop loop, boolean epoll, int lengthBytes)
      throws Exception {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (DatagramChannel sink = DatagramChannel.open();
        DatagramChannel source = DatagramChannel.open()) {
      sink.setOption(StandardSocketOptions.SO_RCVBUF, SOCKET_BUFFER_BYTES);
      sink.bind(any);
      sink.configureBlocking(false);
      ImpairmentProxy proxy =
          new ImpairmentProxy(
              loop,
              epoll,
              lengthBytes,
              (InetSocketAddress) sink.getLocalAddress(),
              Impairment.NONE,
              0);
      source.connect(proxy.start(any));
      try {
        blast(source, sink, lengthBytes, WARMUP_NS);
        return blast(source, sink, lengthBytes, MEASURE_NS) * 1_000_000_000L / MEASURE_NS;
      } finally {
        proxy.close();
      }
    }
  }

  private static long blast(DatagramChannel source, DatagramChannel sink, int length, long forNs)
      throws Exception {
    ByteBuffer out = ByteBuffer.allocateDirect(length);
    ByteBuffer in = ByteBuffer.allocateDirect(length);
    long received = 0;
    int onTheWay = 0;
    long lastNs = System.nanoTime();
    long endNs = lastNs + forNs;
    for (long nowNs = lastNs; nowNs < endNs; nowNs = System.nanoTime()) {
      // At most as many datagrams in flight as the socket buffers hold. Lost ones are forgotten
      // when the sink receives nothing.
      for (int i = 0; i < BURST_DATAGRAMS && onTheWay < ON_THE_WAY_MAX; i++) {
        out.clear();
        source.write(out);
        onTheWay++;
      }
      for (in.clear(); sink.receive(in) != null; in.clear()) {
        received++;
        onTheWay = Math.max(0, onTheWay - 1);
        lastNs = nowNs;
      }
      if (nowNs - lastNs > DRY_NS) {
        onTheWay = 0;
      }
    }
    return received;
  }
}
