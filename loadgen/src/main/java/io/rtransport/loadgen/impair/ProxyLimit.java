package io.rtransport.loadgen.impair;

import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;

/** Measures how many datagrams a second a proxy carries when it does nothing to them: beyond that a run measures the proxy. */
public final class ProxyLimit {
  private static final long MEASURE_NS = 200_000_000L;
  private static final long WARMUP_NS = 200_000_000L;
  private static final int SOCKET_BUFFER_BYTES = 4 << 20;

  private ProxyLimit() {}

  /** Blasts datagrams of {@code lengthBytes} through a proxy of its own on {@code loop} for 0.4 s; datagrams a second, one way. */
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
    long sent = 0;
    long endNs = System.nanoTime() + forNs;
    while (System.nanoTime() < endNs) {
      // At most so many on the way as the socket buffers hold; what was lost all the same is
      // forgotten when the sink runs dry.
      for (int i = 0; i < 32 && sent - received < 1_024; i++) {
        out.clear();
        source.write(out);
        sent++;
      }
      boolean any = false;
      for (in.clear(); sink.receive(in) != null; in.clear()) {
        received++;
        any = true;
      }
      if (!any && sent - received >= 1_024) {
        Thread.onSpinWait();
      }
    }
    return received;
  }
}
