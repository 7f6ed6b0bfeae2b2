package io.rtransport.netty.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.SocketChannelConfig;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Options: set, read back, refused, unknown. */
@ExtendWith(ContractCount.class)
@Timeout(60)
class OptionsContractTest {
  /** An option that nobody knows. */
  private static final ChannelOption<String> NOBODYS = ChannelOption.valueOf("contract.nobodys");

  private static <T> void assertSet(ChannelConfig config, ChannelOption<T> option, T value) {
    assertThat(config.setOption(option, value)).as("%s is known", option).isTrue();
    assertThat(config.getOption(option)).as("%s", option).isEqualTo(value);
    assertThat(config.getOptions()).containsKey(option);
  }

  @Contract
  void shouldSetAndReadBackWhatEveryChannelHas(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      ChannelConfig config = rig.client.config();
      RecvByteBufAllocator reads = new FixedRecvByteBufAllocator(64);
      assertSet(config, ChannelOption.CONNECT_TIMEOUT_MILLIS, 1_234);
      assertSet(config, ChannelOption.ALLOCATOR, UnpooledByteBufAllocator.DEFAULT);
      assertSet(config, ChannelOption.RECVBUF_ALLOCATOR, reads);
      assertSet(config, ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(5, 10));
      assertSet(config, ChannelOption.WRITE_SPIN_COUNT, 7);
      assertSet(config, ChannelOption.SO_LINGER, 3);
      assertSet(config, ChannelOption.SO_LINGER, -1);
      assertSet(config, ChannelOption.AUTO_READ, false);
      assertSet(config, ChannelOption.AUTO_READ, true);
      assertSet(config, ChannelOption.AUTO_CLOSE, true);
      assertThat(rig.client.alloc()).isSameAs(UnpooledByteBufAllocator.DEFAULT);
      assertThat(config.getWriteBufferHighWaterMark()).isEqualTo(10);
      assertThat(config.getWriteBufferLowWaterMark()).isEqualTo(5);
    }
  }

  @Contract
  void shouldReadBackWhatTheBootstrapsSet(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      rig.serverOptions =
          b ->
              b.option(ChannelOption.SO_REUSEADDR, true)
                  .childOption(ChannelOption.ALLOCATOR, UnpooledByteBufAllocator.DEFAULT)
                  .childOption(ChannelOption.SO_LINGER, 2);
      rig.clientOptions =
          b ->
              b.option(ChannelOption.SO_REUSEADDR, true)
                  .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 7_000);
      rig.open();
      assertThat(rig.server.config().getOption(ChannelOption.SO_REUSEADDR)).isTrue();
      assertThat(rig.child.config().getOption(ChannelOption.SO_LINGER)).isEqualTo(2);
      assertThat(rig.child.alloc()).isSameAs(UnpooledByteBufAllocator.DEFAULT);
      assertThat(rig.client.config().getOption(ChannelOption.SO_REUSEADDR)).isTrue();
      assertThat(rig.client.config().getConnectTimeoutMillis()).isEqualTo(7_000);
      assertThat(rig.client.config().getOption(ChannelOption.SO_RCVBUF)).isPositive();
    }
  }

  @Contract
  void shouldReadIntoBuffersOfItsAllocator(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      ByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
      rig.serverOptions = b -> b.childOption(ChannelOption.ALLOCATOR, allocator);
      rig.open();
      assertThat(rig.child.alloc()).isSameAs(allocator);
      rig.client.writeAndFlush(Rig.zeros(100));
      rig.atChild.awaitSize(100);
    }
  }

  @Contract
  void shouldSayThatItDoesNotKnowAnOptionAndGoOn(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      rig.clientOptions = b -> b.option(NOBODYS, "value");
      rig.serverOptions = b -> b.option(NOBODYS, "value").childOption(NOBODYS, "value");
      rig.open();
      assertThat(rig.client.config().setOption(NOBODYS, "value")).isFalse();
      assertThat(rig.client.config().getOption(NOBODYS)).isNull();
      assertThat(rig.server.config().setOption(NOBODYS, "value")).isFalse();
      Rig.succeeded(rig.client.writeAndFlush(Rig.text("goes on")));
      rig.atChild.awaitText("goes on");
    }
  }

  @Contract
  void shouldRefuseValuesThatMakeNoSense(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      ChannelConfig config = rig.client.config();
      assertThatIllegalArgumentException().isThrownBy(() -> config.setConnectTimeoutMillis(-1));
      assertThatIllegalArgumentException().isThrownBy(() -> config.setWriteSpinCount(0));
      assertThatIllegalArgumentException().isThrownBy(() -> config.setWriteBufferHighWaterMark(-1));
      assertThatNullPointerException()
          .isThrownBy(() -> config.setOption(ChannelOption.ALLOCATOR, null));
      assertThatNullPointerException()
          .isThrownBy(() -> config.setOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, null));
      assertThat(rig.client.isActive()).isTrue();
    }
  }

  @Contract
  void shouldTakeTheOptionsOfTcpOnLivingChannelsToo(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport)) {
      rig.clientOptions =
          b ->
              b.option(ChannelOption.TCP_NODELAY, false)
                  .option(ChannelOption.SO_KEEPALIVE, true)
                  .option(ChannelOption.IP_TOS, 0x10)
                  .option(ChannelOption.SO_SNDBUF, 100_000);
      rig.serverOptions =
          b ->
              b.option(ChannelOption.SO_BACKLOG, 16)
                  .option(ChannelOption.SO_RCVBUF, 100_000)
                  .childOption(ChannelOption.TCP_NODELAY, true)
                  .childOption(ChannelOption.SO_KEEPALIVE, true)
                  .childOption(ChannelOption.SO_REUSEADDR, true);
      rig.open();
      assertThat(rig.server.config().getOption(ChannelOption.SO_BACKLOG)).isEqualTo(16);
      assertThat(rig.client.config().getOption(ChannelOption.TCP_NODELAY)).isFalse();
      assertThat(rig.client.config().getOption(ChannelOption.IP_TOS)).isEqualTo(0x10);
      assertThat(rig.client.config().getOption(ChannelOption.SO_KEEPALIVE)).isTrue();
      assertThat(rig.child.config().getOption(ChannelOption.SO_KEEPALIVE)).isTrue();
      assertThat(rig.child.config().getOption(ChannelOption.TCP_NODELAY)).isTrue();
      for (Channel channel : List.of(rig.client, rig.child)) {
        for (boolean isWanted : new boolean[] {true, false, true}) {
          assertSet(channel.config(), ChannelOption.TCP_NODELAY, isWanted);
          assertSet(channel.config(), ChannelOption.SO_KEEPALIVE, isWanted);
        }
        assertSet(channel.config(), ChannelOption.IP_TOS, 0x08);
        assertSet(channel.config(), ChannelOption.IP_TOS, 0);
      }
      assertSet(rig.server.config(), ChannelOption.SO_BACKLOG, 17);
      assertSet(rig.server.config(), ChannelOption.SO_REUSEADDR, true);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> rig.server.config().setOption(ChannelOption.SO_BACKLOG, -1));
      Rig.succeeded(rig.client.writeAndFlush(Rig.text("goes on")));
      rig.atChild.awaitText("goes on");
    }
  }

  /** What a program written for TCP casts to. */
  @Contract
  void shouldBeSocketChannels(Transport transport) throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      ServerSocketChannel server = (ServerSocketChannel) rig.server;
      SocketChannel client = (SocketChannel) rig.client;
      SocketChannel child = (SocketChannel) rig.child;
      assertThat(server.remoteAddress()).isNull();
      assertThat(server.config().setBacklog(5).setReuseAddress(true).getBacklog()).isEqualTo(5);
      assertThat(client.parent()).isNull();
      assertThat(child.parent()).isSameAs(server);
      assertThat(child.remoteAddress().getPort()).isEqualTo(client.localAddress().getPort());
      assertThat(client.remoteAddress().getPort()).isEqualTo(server.localAddress().getPort());
      SocketChannelConfig config =
          child
              .config()
              .setTcpNoDelay(true)
              .setKeepAlive(true)
              .setSoLinger(-1)
              .setTrafficClass(0)
              .setPerformancePreferences(0, 1, 2)
              .setAllowHalfClosure(true)
              .setConnectTimeoutMillis(1_000)
              .setWriteSpinCount(1)
              .setAutoRead(true)
              .setAutoClose(true);
      assertThat(config).isSameAs(child.config());
      assertThat(config.isTcpNoDelay()).isTrue();
      assertThat(config.isKeepAlive()).isTrue();
      assertThat(config.getSoLinger()).isEqualTo(-1);
      assertThat(config.isAllowHalfClosure()).isTrue();
      assertThat(config.getReceiveBufferSize()).isPositive();
    }
  }
}
