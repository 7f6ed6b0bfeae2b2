package io.rtransport.netty;

import static io.rtransport.netty.ChannelInternals.inside;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.rtransport.core.outcome.Outcome;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An application that chooses sinks, and has none for these messages, all of one packet: it reads
 * each before it is asked about the next.
 */
@Timeout(60)
class AskedAndReadTest {
  private static final InetSocketAddress SERVER = new InetSocketAddress("10.0.0.1", 1);
  private static final InetSocketAddress CLIENT = new InetSocketAddress("10.0.0.2", 2);
  private static final int MESSAGES = 5;
  private static final int TURNING_POINT = 2;

  private final ManualSide client = new ManualSide(1, CLIENT, SERVER);
  private final ManualSide server = new ManualSide(2, SERVER, CLIENT);
  private final List<String> events = new ArrayList<>();
  private Runnable turn = () -> {};
  private RtChannel channel;
  private RtChannel child;
  private int askedCount;

  private final class Reader extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ByteBuf bytes = message instanceof RtPush push ? push.content() : (ByteBuf) message;
      int number = bytes.getInt(0);
      bytes.release();
      events.add("read " + number);
      if (number == TURNING_POINT) {
        turn.run();
      }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
      events.add("complete");
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      events.add("caught");
      ctx.fireExceptionCaught(cause);
    }
  }

  private RtSink choose(RtChannel asked, long lengthBytes, byte[] header) {
    events.add("asked " + askedCount++);
    return null;
  }

  @BeforeEach
  void connect() {
    channel =
        (RtChannel)
            ManualSide.connect(
                client,
                server,
                SocketPair.initializer(
                    c -> {
                      child = (RtChannel) c;
                      child
                          .config()
                          .setOption(RtChannelOption.PAYLOAD_SINKS, (PayloadSinks) this::choose);
                      c.pipeline().addLast(new Reader());
                    }),
                SocketPair.initializer(c -> {}));
    pass(10);
    events.clear();
  }

  @AfterEach
  void close() {
    channel.close();
    child.close();
    pass(40_000);
    assertThat(inside(child).reading().queue().liveCount()).isZero();
    assertThat(server.node.left()).isEmpty();
    client.node.close();
    server.node.close();
  }

  private void pass(int millis) {
    for (int i = 0; i < millis; i++) {
      client.nowNs += TimeUnit.MILLISECONDS.toNanos(1);
      server.nowNs += TimeUnit.MILLISECONDS.toNanos(1);
      ManualSide.exchange(client, server);
    }
  }

  private List<ChannelFuture> send(boolean hasHeaders) {
    List<ChannelFuture> ends = new ArrayList<>();
    for (int i = 0; i < MESSAGES; i++) {
      ByteBuf bytes = channel.alloc().buffer(4).writeInt(i);
      ends.add(channel.write(hasHeaders ? Push.of(bytes, new byte[] {7}) : bytes));
    }
    channel.flush();
    pass(100);
    return ends;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldReadEachBeforeItIsAskedAboutTheNext(boolean hasHeaders) {
    List<ChannelFuture> ends = send(hasHeaders);
    assertThat(events)
        .containsExactly(
            "asked 0",
            "read 0",
            "asked 1",
            "read 1",
            "asked 2",
            "read 2",
            "asked 3",
            "read 3",
            "asked 4",
            "read 4",
            "complete");
    assertThat(ends).allSatisfy(end -> assertThat(end.isSuccess()).isTrue());
  }

  @Test
  void shouldKeepTheOthersWhereAutoReadIsSwitchedOffOverOne() {
    turn = () -> child.config().setAutoRead(false);
    List<ChannelFuture> ends = send(false);
    assertThat(events)
        .containsExactly(
            "asked 0",
            "read 0",
            "asked 1",
            "read 1",
            "asked 2",
            "read 2",
            "asked 3",
            "asked 4",
            "complete");
    events.clear();
    child.read();
    pass(10);
    assertThat(events).containsExactly("read 3", "complete");
    child.read();
    pass(100);
    assertThat(events).containsExactly("read 3", "complete", "read 4", "complete");
    assertThat(ends).allSatisfy(end -> assertThat(end.isSuccess()).isTrue());
  }

  @Test
  void shouldAskAndReadNoMoreOnceTheChannelIsClosedOverOne() {
    turn = () -> child.close();
    List<ChannelFuture> ends = send(false);
    assertThat(events)
        .containsExactly("asked 0", "read 0", "asked 1", "read 1", "asked 2", "read 2", "complete");
    assertThat(ends.get(TURNING_POINT).isSuccess()).isTrue();
    for (int i = TURNING_POINT + 1; i < MESSAGES; i++) {
      assertThat(ends.get(i).cause())
          .as("message %d", i)
          .isInstanceOfSatisfying(
              RtException.class, e -> assertThat(e.outcome()).isEqualTo(Outcome.NOT_EXECUTED));
    }
  }

  @Test
  void shouldFailTheOneOverWhichAHandlerThrows() {
    turn =
        () -> {
          throw new IllegalStateException("over one");
        };
    List<ChannelFuture> ends = send(true);
    assertThat(events)
        .containsExactly(
            "asked 0",
            "read 0",
            "asked 1",
            "read 1",
            "asked 2",
            "read 2",
            "caught",
            "asked 3",
            "read 3",
            "asked 4",
            "read 4",
            "complete");
    for (int i = 0; i < MESSAGES; i++) {
      assertThat(ends.get(i).isSuccess()).as("message %d", i).isEqualTo(i != TURNING_POINT);
    }
    assertThat(((RtException) ends.get(TURNING_POINT).cause()).outcome())
        .isEqualTo(Outcome.UNKNOWN);
  }

  @Test
  void shouldSendWhatIsWrittenOverOneOnceTheBatchIsOver() {
    List<Integer> sent = new ArrayList<>();
    List<ChannelFuture> answers = new ArrayList<>();
    turn =
        () -> {
          int before = server.sent.size();
          answers.add(child.writeAndFlush(child.alloc().buffer(4).writeInt(9)));
          sent.add(server.sent.size() - before);
        };
    send(false);
    assertThat(sent).containsExactly(0);
    assertThat(answers.get(0).isSuccess()).isTrue();
    assertThat(events).hasSize(2 * MESSAGES + 1).endsWith("complete");
  }

  /** It is asked again on a later turn, which is no read: handlers run behind the core's call. */
  @Test
  void shouldReadWhatWasPutOffAtTheEndOfATurnOfItsOwn() {
    List<Boolean> inCore = new ArrayList<>();
    turn = () -> inCore.add(ReadAtOnceTest.isCaller("io.rtransport.core."));
    PayloadSinks later = (asked, lengthBytes, header) -> RtSink.later();
    child.config().setOption(RtChannelOption.PAYLOAD_SINKS, later);
    send(false);
    assertThat(events).isEmpty();
    child.config().setOption(RtChannelOption.PAYLOAD_SINKS, (PayloadSinks) this::choose);
    inside(child).link().connection().verbs().retryOpen();
    inside(child).link().pumpDue();
    pass(100);
    assertThat(inCore).containsExactly(false);
    assertThat(events).contains("read 4").endsWith("complete");
  }
}
