package io.rtransport.netty.port;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.IntegerUnixChannelOption;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a socket is told of datagrams that are too long for the way, read back from the system. */
class FragmentationTest {
  /** Linux: IP_MTU_DISCOVER of the level IPPROTO_IP; the values are IP_PMTUDISC_…. */
  private static final IntegerUnixChannelOption MTU_DISCOVER =
      new IntegerUnixChannelOption("TEST_IP_MTU_DISCOVER", 0, 10);

  /** Don't fragment, and do not keep to what ICMP says: 1 and 2 would. */
  private static final int PROBE = 3;

  @Test
  void shouldNeitherFragmentNorBelieveIcmp() throws Exception {
    assumeTrue(Epoll.isAvailable());
    EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    try {
      EpollDatagramChannel socket =
          (EpollDatagramChannel)
              new Bootstrap()
                  .group(group)
                  .channel(EpollDatagramChannel.class)
                  .handler(new ChannelInboundHandlerAdapter())
                  .bind(new InetSocketAddress("127.0.0.1", 0))
                  .sync()
                  .channel();
      assertThat(socket.config().getOption(MTU_DISCOVER)).isNotEqualTo(PROBE);
      assertThat(Fragmentation.forbid(socket)).isTrue();
      assertThat(socket.config().getOption(MTU_DISCOVER)).isEqualTo(PROBE);
    } finally {
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }
  }
}
