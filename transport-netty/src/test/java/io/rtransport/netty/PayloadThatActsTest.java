package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.rtransport.netty.RtChannelOption.Acknowledge;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A payload that does something with its channel while its bytes are copied, or where it is
 * released: the core builds a packet then, and none of its verbs may be called. What the
 * application did takes effect all the same, soon after.
 */
@Timeout(60)
class PayloadThatActsTest {
  private static final InetSocketAddress SERVER = new InetSocketAddress("10.0.0.1", 1);
  private static final InetSocketAddress CLIENT = new InetSocketAddress("10.0.0.2", 2);
  private static final byte[] HEADER = {1};
  private static final int LENGTH = 5_000;

  /** Where the payload acts. */
  private enum Place {
    COPY,
    RELEASE
  }

  /** What the payload does, and how it shows. */
  private enum Act {
    ACKNOWLEDGE {
      @Override
      void act(World world) {
        world.held().acknowledge();
      }

      @Override
      void check(World world) {
        assertThat(world.peersPush.isSuccess()).isTrue();
      }
    },
    FAIL {
      @Override
      void act(World world) {
        world.held().fail(7, "not now");
      }

      @Override
      void check(World world) {
        assertThat(world.peersPush.cause()).hasMessageContaining("not now");
      }
    },
    ANSWER {
      @Override
      void act(World world) {
        world.held().acknowledge(); // ends come in order
        world.request().respond(new byte[] {1, 2});
      }

      @Override
      void check(World world) {
        assertThat(world.peersPull.answer().getNow(Unpooled.EMPTY_BUFFER).release()).isTrue();
      }
    },
    REFUSE_A_PULL {
      @Override
      void act(World world) {
        world.held().acknowledge();
        world.request().fail(8, "no answer");
      }

      @Override
      void check(World world) {
        assertThat(world.peersPull.answer()).isCompletedExceptionally();
      }
    },
    CANCEL {
      @Override
      void act(World world) {
        world.own.cancel();
      }

      @Override
      void check(World world) {
        assertThat(world.ownPull.cause()).isInstanceOf(RtException.class);
      }
    },
    SET_OPTIONS {
      @Override
      void act(World world) {
        world.channel.config().setOption(RtChannelOption.KEEPALIVE, true);
        world.channel.config().setOption(RtChannelOption.FLUSH_WINDOW_MICROS, 10);
        world.channel.config().setOption(RtChannelOption.MAX_BUFFERED_MESSAGE, 1 << 20);
      }

      @Override
      void check(World world) {
        assertThat(world.channel.isActive()).isTrue();
      }
    },
    WRITE {
      private ChannelFuture written;

      @Override
      void act(World world) {
        written = world.channel.writeAndFlush(EchoTest.text("more"));
      }

      @Override
      void check(World world) {
        assertThat(written.isSuccess()).isTrue();
      }
    },
    CLOSE {
      @Override
      void act(World world) {
        world.channel.close();
      }

      @Override
      void check(World world) {
        world.assertBothClosed();
      }
    },
    RESET {
      @Override
      void act(World world) {
        world.channel.config().setSoLinger(0);
        world.channel.close();
      }

      @Override
      void check(World world) {
        world.assertBothClosed();
      }
    },
    HALF_CLOSE {
      @Override
      void act(World world) {
        world.channel.shutdownOutput();
      }

      @Override
      void check(World world) {
        assertThat(world.channel.isOutputShutdown()).isTrue();
      }
    };

    abstract void act(World world);

    abstract void check(World world);
  }

  /** Acts once, at its place. */
  private static final class Acting extends RtPayload {
    private final World world;
    private final Act act;
    private final Place place;
    private boolean hasActed;

    Acting(World world, Act act, Place place) {
      this.world = world;
      this.act = act;
      this.place = place;
    }

    private void at(Place here) {
      if (here == place && !hasActed) {
        hasActed = true;
        act.act(world);
      }
    }

    @Override
    public long lengthBytes() {
      return LENGTH;
    }

    @Override
    protected int copy(long offset, ByteBuffer to, int index, int length) {
      at(Place.COPY);
      return length;
    }

    @Override
    protected void deallocate() {
      at(Place.RELEASE);
    }
  }

  /**
   * A client with a push and a pull of its peer's in its hands, and perhaps a pull of its own out.
   */
  private static final class World implements AutoCloseable {
    final LogWatch log = new LogWatch();
    final ManualSide client = new ManualSide(1, CLIENT, SERVER);
    final ManualSide server = new ManualSide(2, SERVER, CLIENT);
    final List<Object> atClient = new ArrayList<>();
    final List<Object> atServer = new ArrayList<>();
    final Pull own = Pull.of(HEADER, 10);
    final Pull peersPull = Pull.of(HEADER, 10);
    final RtChannel channel;
    RtChannel child;
    final ChannelFuture ownPull;
    final ChannelFuture peersPush;

    World(Act act) {
      channel =
          (RtChannel)
              ManualSide.connect(
                  client,
                  server,
                  SocketPair.initializer(
                      c -> {
                        child = (RtChannel) c;
                        c.pipeline().addLast(new Keeper(atServer));
                      }),
                  SocketPair.initializer(c -> c.pipeline().addLast(new Keeper(atClient))));
      channel.config().setOption(RtChannelOption.ACKNOWLEDGE, Acknowledge.EXPLICIT);
      peersPush = child.writeAndFlush(Push.of(EchoTest.text("held"), HEADER));
      child.writeAndFlush(peersPull);
      ownPull = act == Act.CANCEL ? channel.writeAndFlush(own) : null;
      pass(50);
      assertThat(atClient).hasSize(2);
      assertThat(atServer).hasSize(act == Act.CANCEL ? 1 : 0);
    }

    RtPush held() {
      return (RtPush) atClient.get(0);
    }

    RtPullRequest request() {
      return (RtPullRequest) atClient.get(1);
    }

    void assertBothClosed() {
      assertThat(channel.isOpen()).isFalse();
      assertThat(child.isOpen()).isFalse();
    }

    void pass(int millis) {
      for (int i = 0; i < millis; i++) {
        client.nowNs += TimeUnit.MILLISECONDS.toNanos(1);
        server.nowNs += TimeUnit.MILLISECONDS.toNanos(1);
        ManualSide.exchange(client, server);
      }
    }

    @Override
    public void close() {
      held().release();
      channel.close();
      child.close();
      pass(40_000);
      assertThat(client.node.left()).isEmpty();
      assertThat(server.node.left()).isEmpty();
      client.node.close();
      server.node.close();
      log.close();
    }
  }

  /** Keeps what comes, and releases plain messages. */
  private static final class Keeper extends ChannelInboundHandlerAdapter {
    private final List<Object> kept;

    Keeper(List<Object> kept) {
      this.kept = kept;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      if (message instanceof RtPullRequest
          || message instanceof RtPush push && push.header().length > 0) {
        kept.add(message);
      } else if (message instanceof RtPush push) {
        push.acknowledge();
        push.release();
      } else {
        ((ByteBuf) message).release();
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      ctx.fireExceptionCaught(cause);
    }
  }

  static Stream<Arguments> actsAndPlaces() {
    return Stream.of(Act.values())
        .flatMap(act -> Stream.of(Place.values()).map(place -> Arguments.of(act, place)));
  }

  @ParameterizedTest
  @MethodSource("actsAndPlaces")
  void shouldTakeEffectOutsideTheCore(Act act, Place place) {
    try (World world = new World(act)) {
      ChannelFuture push = world.channel.writeAndFlush(new Acting(world, act, place));
      world.pass(20_000);
      assertThat(push.isDone()).isTrue();
      act.check(world);
      assertThat(world.log.defects()).as(world.log.first()).isZero();
    }
  }

  /** Of a wrong number of bytes, as {@code InputStream} has one for the end. */
  @ParameterizedTest
  @ValueSource(ints = {-1, Integer.MAX_VALUE})
  void shouldEndTheConnectionOverAPayloadThatCopiesAWrongNumberOfBytes(int copied) {
    try (World world = new World(Act.CLOSE)) {
      RtPayload wrong =
          new RtPayload() {
            @Override
            public long lengthBytes() {
              return LENGTH;
            }

            @Override
            protected int copy(long offset, ByteBuffer to, int index, int length) {
              return copied;
            }

            @Override
            protected void deallocate() {}
          };
      List<Throwable> told = new ArrayList<>();
      world.channel.pipeline().addLast(new Told(told));
      ChannelFuture push = world.channel.writeAndFlush(wrong);
      world.pass(1_000);
      assertThat(push.cause()).isNotNull();
      assertThat(world.channel.isOpen()).isFalse();
      assertThat(told.get(0)).hasMessageContaining("copy returned " + copied + ", valid: 0 to ");
      assertThat(world.log.defects()).as(world.log.first()).isZero();
    }
  }

  /** Keeps what it is told. */
  private static final class Told extends ChannelInboundHandlerAdapter {
    private final List<Throwable> told;

    Told(List<Throwable> told) {
      this.told = told;
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      told.add(cause);
    }
  }
}
