package io.rtransport.loadgen.impair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.rtransport.command.SocketKind;
import io.rtransport.loadgen.transceiver.Sockets;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The proxy between real sockets. */
class ImpairmentProxyTest {
  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  private final boolean epoll = SocketKind.best() == SocketKind.EPOLL;
  private final EventLoopGroup loops = Sockets.loops(SocketKind.best(), 1);
  private final EventLoop loop = loops.next();

  @AfterEach
  void shutDown() {
    loops.shutdownGracefully();
  }

  private ImpairmentProxy proxy(DatagramSocket target, Impairment impairment) {
    return new ImpairmentProxy(
        loop, epoll, 0, (InetSocketAddress) target.getLocalSocketAddress(), impairment, 9);
  }

  private static int receive(DatagramSocket socket, byte[] into, int timeoutMillis)
      throws Exception {
    socket.setSoTimeout(timeoutMillis);
    try {
      DatagramPacket packet = new DatagramPacket(into, into.length);
      socket.receive(packet);
      return packet.getLength();
    } catch (SocketTimeoutException e) {
      return -1;
    }
  }

  @Test
  void shouldCarryDatagramsBothWaysWithTheirBoundaries() throws Exception {
    try (DatagramSocket target = new DatagramSocket(ANY);
        DatagramSocket client = new DatagramSocket(ANY)) {
      ImpairmentProxy proxy = proxy(target, Impairment.NONE);
      InetSocketAddress front = proxy.start(ANY);
      byte[] buffer = new byte[65_507];
      for (int length : new int[] {1, 100, 1_400, 9_000, 60_000}) {
        client.send(new DatagramPacket(new byte[length], length, front));
        DatagramPacket got = new DatagramPacket(buffer, buffer.length);
        target.setSoTimeout(20_000);
        target.receive(got);
        assertThat(got.getLength()).isEqualTo(length);
        target.send(new DatagramPacket(buffer, length, got.getSocketAddress()));
        assertThat(receive(client, buffer, 20_000)).isEqualTo(length);
      }
      assertThat(proxy.counts()).containsEntry("datagrams", 10L).containsEntry("dropped", 0L);
      proxy.close();
    }
  }

  @Test
  void shouldDeliverExactlyWhatItDidNotDrop() throws Exception {
    Impairment impairment = new Impairment(0.2, 200_000, 0, 0, 0.1, 0, 0);
    try (DatagramSocket target = new DatagramSocket(ANY);
        DatagramSocket client = new DatagramSocket(ANY)) {
      target.setReceiveBufferSize(4 << 20);
      ImpairmentProxy proxy = proxy(target, impairment);
      InetSocketAddress front = proxy.start(ANY);
      byte[] buffer = new byte[100];
      for (int i = 1; i <= 500; i++) {
        client.send(new DatagramPacket(buffer, 100, front));
        if (i % 50 == 0) { // no more on the way than a small socket buffer holds
          long sent = i;
          await().until(() -> ((Number) proxy.counts().get("datagrams")).longValue() == sent);
        }
      }
      Map<String, Object> counts = proxy.counts();
      long dropped = ((Number) counts.get("dropped")).longValue();
      long duplicated = ((Number) counts.get("duplicated")).longValue();
      assertThat(dropped).isBetween(50L, 150L);
      assertThat(duplicated).isBetween(10L, 80L);
      for (long i = dropped; i < 500 + duplicated; i++) {
        assertThat(receive(target, buffer, 20_000)).isEqualTo(100);
      }
      assertThat(receive(target, buffer, 50)).as("one too many").isEqualTo(-1);
      proxy.close();
    }
  }
}
