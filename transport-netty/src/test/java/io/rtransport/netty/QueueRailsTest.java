package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.netty.queue.RtQueueConfig;
import io.rtransport.netty.queue.RtQueueConnection;
import io.rtransport.netty.queue.RtQueueEntry;
import io.rtransport.netty.queue.RtQueueHandler;
import io.rtransport.netty.queue.RtQueueRailEvent;
import io.rtransport.netty.queue.RtQueues;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What queues tell of rails, over real sockets. A rail is a relay that can go dark or move. */
@Timeout(60)
class QueueRailsTest {
  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  private final RtQueues target = RtQueues.open(RtQueueConfig.defaults());
  private final InetSocketAddress address = target.listen(ANY).localAddress();
  private final Side there = new Side();
  private final Side here = new Side();
  private final List<UdpRelay> relays = new ArrayList<>();
  private RtQueues initiator;
  private RtQueueConnection connection;
  private int posted;

  /** What one side was told of the rails of its connection, by rail. */
  private static final class Side implements RtQueueHandler {
    final List<Set<RtQueueRailEvent>> all = new ArrayList<>();
    final RtQueueRailEvent[] last = new RtQueueRailEvent[8];
    final List<String> order = new ArrayList<>();
    int completed;
    int others;

    Side() {
      for (int rail = 0; rail < last.length; rail++) {
        all.add(EnumSet.noneOf(RtQueueRailEvent.class));
      }
    }

    @Override
    public void onOpen(RtQueueConnection connection) {
      order.add("open");
    }

    @Override
    public void onRail(
        RtQueueConnection connection, int rail, RtQueueRailEvent now, Set<RtQueueRailEvent> what) {
      order.add("rail");
      assertThat(what).contains(now);
      all.get(rail).addAll(what);
      last[rail] = now;
    }

    @Override
    public void onClosed(RtQueueConnection connection, CloseReason reason) {
      order.add("closed");
    }

    @Override
    public void onMessage(RtQueueEntry message) {}

    @Override
    public void onCompletion(RtQueueEntry end) {
      if (end.outcome() == Outcome.COMPLETED) {
        completed++;
      } else {
        others++;
      }
    }
  }

  @AfterEach
  void close() throws Exception {
    initiator.close();
    target.close();
    for (UdpRelay relay : relays) {
      relay.close();
    }
  }

  private DarkRelay relay() throws IOException {
    DarkRelay relay = new DarkRelay(address);
    relays.add(relay);
    return relay;
  }

  private void connect(UdpRelay first, List<RtRail> rails) throws IOException {
    connect(RtQueueConfig.defaults(), first, rails);
  }

  private void connect(RtQueueConfig config, UdpRelay first, List<RtRail> rails)
      throws IOException {
    initiator =
        RtQueues.open(
            config.channels(
                channel -> {
                  if (channel.parent() == null) {
                    channel.config().setOption(RtChannelOption.RAILS, rails);
                  }
                }));
    connection = initiator.connect(first.address());
  }

  /** Polls both and keeps pushing, until something holds. */
  private void pushUntil(BooleanSupplier holds) {
    byte[] bytes = new byte[100];
    long deadlineNs = System.nanoTime() + 20_000_000_000L;
    while (!holds.getAsBoolean()) {
      assertThat(System.nanoTime() - deadlineNs).as("%s %s", here.all, there.all).isNegative();
      if (connection.posted() < 64 && connection.submitPush(bytes, 0, 100, 1) >= 0) {
        posted++;
      }
      target.poll(there, 64);
      initiator.await(here, 64, Duration.ofMillis(1));
    }
  }

  @Test
  void shouldTellOfARailThatOpensIsSuspectedAndWorksAgain() throws IOException {
    DarkRelay first = relay();
    DarkRelay second = relay();
    connect(first, List.of(RtRail.to(second.address())));
    pushUntil(
        () -> here.last[1] == RtQueueRailEvent.WORKS && there.last[1] == RtQueueRailEvent.WORKS);
    assertThat(here.all.get(1)).contains(RtQueueRailEvent.OPENED);
    assertThat(here.order.get(0)).isEqualTo("open");
    assertThat(there.order.get(0)).isEqualTo("open");
    // Rail 0 is the one that answered first.
    assertThat(List.of(connection.railAddress(0), connection.railAddress(1)))
        .containsExactlyInAnyOrder(first.address(), second.address());
    assertThat(connection.railAddress(2)).isNull();

    DarkRelay ofRail1 = connection.railAddress(1).equals(first.address()) ? first : second;
    ofRail1.dark(true, true);
    pushUntil(() -> here.last[1] == RtQueueRailEvent.SUSPECTED);
    ofRail1.dark(false, false);
    pushUntil(() -> here.last[1] == RtQueueRailEvent.WORKS);
    pushUntil(() -> here.completed == posted);
    assertThat(here.others).isZero();
    connection.close();
    while (!here.order.contains("closed")) {
      target.poll(there, 64);
      initiator.await(here, 64, Duration.ofMillis(1));
    }
    assertThat(here.order.get(here.order.size() - 1)).isEqualTo("closed");
    assertThat(Collections.frequency(here.order, "closed")).isOne();
  }

  /** A rail closes with its socket; another carries what it had. */
  @Test
  void shouldTellThatARailHasClosed() throws Exception {
    Queue<NioDatagramChannel> sockets = new ConcurrentLinkedQueue<>();
    var group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    try {
      DarkRelay first = relay();
      DarkRelay second = relay();
      RtQueueConfig config =
          RtQueueConfig.defaults()
              .group(
                  group,
                  () -> {
                    NioDatagramChannel socket = new NioDatagramChannel();
                    sockets.add(socket);
                    return socket;
                  });
      connect(config, first, List.of(RtRail.to(second.address())));
      pushUntil(() -> here.last[1] == RtQueueRailEvent.WORKS);
      InetSocketAddress address1 = connection.railAddress(1);
      for (NioDatagramChannel socket : sockets) {
        if (address1.equals(socket.remoteAddress())) {
          socket.close();
        }
      }
      pushUntil(() -> here.last[1] == RtQueueRailEvent.CLOSED);
      assertThat(connection.railAddress(1)).isEqualTo(address1); // the last one
      pushUntil(() -> here.completed == posted);
      assertThat(here.others).isZero();
      initiator.close();
    } finally {
      group.shutdownGracefully(20, 5_000, TimeUnit.MILLISECONDS).sync();
    }
  }

  /** Moves the client to another port when told to. */
  private static final class MovingRelay extends UdpRelay {
    volatile boolean isMoveDue;

    MovingRelay(InetSocketAddress server) throws IOException {
      super(server);
      start();
    }

    @Override
    boolean passes(ByteBuffer datagram, boolean isOutbound) throws IOException {
      if (isOutbound && isMoveDue) {
        isMoveDue = false;
        moveTo(InetAddress.getLoopbackAddress());
      }
      return true;
    }
  }

  @Test
  void shouldTellThatThePeerWasFoundAtAnotherAddress() throws IOException {
    MovingRelay relay = new MovingRelay(address);
    relays.add(relay);
    connect(relay, List.of());
    pushUntil(() -> here.completed > 0);
    assertThat(there.order).containsExactly("open");
    relay.isMoveDue = true;
    pushUntil(() -> there.last[0] == RtQueueRailEvent.MOVED);
    assertThat(there.all.get(0)).containsExactly(RtQueueRailEvent.MOVED);
    pushUntil(() -> here.completed == posted);
    assertThat(here.all.get(0)).isEmpty();
  }

  @Test
  void shouldRefuseARailThatCannotBe() throws IOException {
    connect(relay(), List.of());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> connection.railAddress(8))
        .withMessage("rail=8, valid: 0..7");
    assertThatIllegalArgumentException().isThrownBy(() -> connection.railAddress(-1));
  }
}
