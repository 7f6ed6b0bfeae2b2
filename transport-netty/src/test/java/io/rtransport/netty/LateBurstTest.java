package io.rtransport.netty;

import static io.rtransport.netty.ChannelInternals.inside;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.rtransport.core.burst.PacketBurst;
import io.rtransport.netty.handler.FaultInjectionHandler;
import io.rtransport.netty.handler.Faults;
import io.rtransport.netty.handler.SolicitationHandler;
import io.rtransport.netty.handler.WindowHandler;
import io.rtransport.netty.handler.WireHandler;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Something throws over a burst that a handler of the pipeline has held back: what the window has
 * acknowledged is read all the same, or the connection ends; and nothing is read once the burst is
 * over, for its packets are gone.
 */
@Timeout(60)
class LateBurstTest {
  private static final InetSocketAddress SERVER = new InetSocketAddress("10.0.0.1", 1);
  private static final InetSocketAddress CLIENT = new InetSocketAddress("10.0.0.2", 2);
  private static final Faults LATE = new Faults(0, 0, 0, 0, TimeUnit.MILLISECONDS.toNanos(3), 0);
  private static final int MESSAGES = 5;

  private final LogWatch log = new LogWatch();
  private final ManualSide client = new ManualSide(1, CLIENT, SERVER);
  private final ManualSide server = new ManualSide(2, SERVER, CLIENT);
  private final List<Integer> read = new ArrayList<>();
  private final List<PacketBurst> bursts = new ArrayList<>();
  private int throwAt = -1;
  private boolean isStageBroken;
  private RtChannel channel;
  private RtChannel child;

  /** Reads numbers, and throws at one of them. */
  private final class Numbers extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ByteBuf bytes = (ByteBuf) message;
      int number = bytes.getInt(0);
      bytes.release();
      read.add(number);
      if (number == throwAt) {
        throw new IllegalStateException("over " + number);
      }
    }
  }

  /** Stands between the sublayers of solicitation and transactions. */
  private final class Stage extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      PacketBurst burst = (PacketBurst) message;
      bursts.add(burst);
      if (isStageBroken && !burst.isDropped(0)) { // what is held back comes as dropped at first
        isStageBroken = false;
        throw new IllegalStateException("a stage of the application's");
      }
      ctx.fireChannelRead(message);
    }
  }

  /** Carries a burst of its own up for each that comes, and then lets that pass. */
  private final class Nested extends ChannelInboundHandlerAdapter {
    private final PacketBurst own;
    private final List<Throwable> refusals;

    Nested(PacketBurst own, List<Throwable> refusals) {
      this.own = own;
      this.refusals = refusals;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      try {
        inside(child).receive(ctx, own);
      } catch (IllegalStateException e) {
        refusals.add(e);
      }
      ctx.fireChannelRead(message);
    }
  }

  /** Told, and expected. */
  private static final class Deaf extends ChannelInboundHandlerAdapter {
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {}
  }

  private void addHandlers(Channel to) {
    child = (RtChannel) to;
    new FaultInjectionHandler(LATE, Faults.NONE, 1).addTo(to);
    to.pipeline().addAfter(SolicitationHandler.NAME, "stage", new Stage());
    to.pipeline().addLast(new Numbers());
  }

  @BeforeEach
  void connect() {
    channel =
        (RtChannel)
            ManualSide.connect(
                client,
                server,
                SocketPair.initializer(this::addHandlers),
                SocketPair.initializer(c -> {}));
    pass(10);
    assertThat(child.isActive()).isTrue();
  }

  @AfterEach
  void close() {
    channel.close();
    child.close();
    pass(40_000);
    assertThat(server.node.left()).isEmpty();
    assertThat(client.node.left()).isEmpty();
    client.node.close();
    server.node.close();
    log.close();
  }

  private void pass(int millis) {
    for (int i = 0; i < millis; i++) {
      client.nowNs += TimeUnit.MILLISECONDS.toNanos(1);
      server.nowNs += TimeUnit.MILLISECONDS.toNanos(1);
      ManualSide.exchange(client, server);
    }
  }

  /** All in one flush, so that one packet holds them. */
  private List<ChannelFuture> sendNumbers() {
    List<ChannelFuture> ends = new ArrayList<>();
    for (int i = 0; i < MESSAGES; i++) {
      ends.add(channel.write(channel.alloc().buffer(16).writeInt(i).writeZero(12)));
    }
    channel.flush();
    return ends;
  }

  private void assertBurstsEmpty() {
    assertThat(bursts).isNotEmpty().allSatisfy(burst -> assertThat(burst.count()).isZero());
  }

  @Test
  void shouldReadAllThatABurstBroughtThoughAStageThrowsOverIt() {
    isStageBroken = true;
    List<ChannelFuture> ends = sendNumbers();
    pass(20);
    assertThat(isStageBroken).isFalse();
    assertThat(read).containsExactly(0, 1, 2, 3, 4);
    assertThat(ends).allSatisfy(end -> assertThat(end.isSuccess()).isTrue());
    assertBurstsEmpty();
    assertThat(log.defects()).as(log.first()).isZero();
  }

  @Test
  void shouldEndTheConnectionOverOneOfWhoseMessagesAHandlerThrows() {
    throwAt = 1;
    List<ChannelFuture> ends = sendNumbers();
    pass(1_000);
    assertThat(read).startsWith(0, 1).isSorted().doesNotHaveDuplicates();
    assertThat(ends.get(0).isSuccess()).isTrue();
    assertThat(ends.get(1).cause()).isInstanceOf(RtException.class);
    assertThat(channel.isOpen()).isFalse();
    assertThat(child.isOpen()).isFalse();
    assertBurstsEmpty();
    assertThat(log.defects()).as(log.first()).isZero();
  }

  @Test
  void shouldReadNothingMoreOfABurstThatWasCutOff() {
    child.config().setOption(ChannelOption.ALLOCATOR, new DefectMidBurstTest.Throwing(2));
    child.pipeline().addLast(new Deaf());
    List<ChannelFuture> ends = sendNumbers();
    pass(1_000);
    assertThat(read).containsExactly(0);
    // That the first completed may have come too late: behind the connection's end in one read.
    for (int i = 1; i < MESSAGES; i++) {
      assertThat(ends.get(i).cause()).as("message %d", i).isInstanceOf(RtException.class);
    }
    assertThat(channel.isOpen()).isFalse();
    assertThat(child.isOpen()).isFalse();
    assertBurstsEmpty();
    assertThat(log.defects()).as(log.first()).isEqualTo(1);
  }

  @Test
  void shouldEndTheConnectionWhereAHandlerFiresABurstByItself() {
    PacketBurst own = new PacketBurst();
    own.add(ByteBuffer.allocate(64), 0, 64, 0, PacketBurst.TRANSIENT);
    inside(child).runTurn(() -> child.pipeline().firstContext().fireChannelRead(own));
    own.clear();
    pass(1_000);
    assertThat(log.defects()).as(log.first()).isEqualTo(1);
    assertThat(log.first()).contains("valid: by SublayerPipeline.receive");
    assertThat(child.isOpen()).isFalse();
  }

  @Test
  void shouldRefuseABurstThatAHandlerCarriesUpWhileAnotherIsOnItsWay() {
    List<Throwable> refusals = new ArrayList<>();
    PacketBurst own = new PacketBurst();
    own.add(ByteBuffer.allocate(64), 0, 64, 0, PacketBurst.TRANSIENT);
    for (String stage : new String[] {WireHandler.NAME, WindowHandler.NAME, "stage"}) {
      child.pipeline().addAfter(stage, "nested in " + stage, new Nested(own, refusals));
    }
    List<ChannelFuture> ends = sendNumbers();
    pass(20);
    assertThat(refusals)
        .hasSizeGreaterThanOrEqualTo(3)
        .allSatisfy(
            refusal ->
                assertThat(refusal)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("valid: SublayerPipeline.receive in a task"));
    assertThat(read).containsExactly(0, 1, 2, 3, 4);
    assertThat(ends).allSatisfy(end -> assertThat(end.isSuccess()).isTrue());
    assertThat(log.defects()).as(log.first()).isZero();
  }
}
