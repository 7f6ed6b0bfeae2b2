package io.rtransport.netty.port;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.rtransport.core.burst.PacketBurst;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** From where last words leave whose address is still taken when the event loop ends. */
class FinalCloseSenderTest {
  private static final byte[] WORD = {1, 2, 3};

  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private DatagramSocket taken;
  private DatagramSocket peer;

  @BeforeEach
  void bind() throws Exception {
    taken = new DatagramSocket(0, InetAddress.getLoopbackAddress());
    peer = new DatagramSocket(0, InetAddress.getLoopbackAddress());
    peer.setSoTimeout(20_000);
  }

  @AfterEach
  void close() {
    taken.close();
    peer.close();
    group.shutdownGracefully(0, 20, TimeUnit.SECONDS);
  }

  private FinalCloseSender said() {
    InetSocketAddress local = (InetSocketAddress) taken.getLocalSocketAddress();
    FinalCloseSender words = new FinalCloseSender(group.next(), local);
    PacketBurst burst = new PacketBurst();
    burst.add(ByteBuffer.wrap(WORD), 0, WORD.length, 0, PacketBurst.TRANSIENT);
    words.send(burst, (InetSocketAddress) peer.getLocalSocketAddress());
    return words;
  }

  private int portOfWhatIsHeard() throws Exception {
    DatagramPacket heard = new DatagramPacket(new byte[100], 100);
    peer.receive(heard);
    assertThat(heard.getLength()).isEqualTo(WORD.length);
    return heard.getPort();
  }

  @Test
  void shouldLeaveFromTheirOwnAddressWhereTheLoopsEndFreesIt() throws Exception {
    int port = taken.getLocalPort();
    FinalCloseSender words = said();
    group.shutdownGracefully(0, 20, TimeUnit.SECONDS);
    taken.close();
    words.close();
    assertThat(portOfWhatIsHeard()).isEqualTo(port);
  }

  @Test
  void shouldLeaveFromAnotherPortWhereItStaysTaken() throws Exception {
    FinalCloseSender words = said();
    group.shutdownGracefully(0, 20, TimeUnit.SECONDS);
    words.close();
    assertThat(portOfWhatIsHeard()).isNotEqualTo(taken.getLocalPort());
  }
}
