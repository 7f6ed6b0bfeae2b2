package io.rtransport.netty;

import static io.rtransport.netty.ChannelInternals.inside;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.rtransport.core.rail.NiReport;
import io.rtransport.core.stats.CounterId;
import io.rtransport.netty.flight.ConnectionFlight;
import io.rtransport.netty.flight.TransactionFlight;
import io.rtransport.netty.handler.FaultInjectionHandler;
import io.rtransport.netty.handler.Faults;
import io.rtransport.netty.internal.loop.Nodes;
import io.rtransport.netty.node.RtNode;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the JDK's flight recorder gets to see, and what it costs when nobody records. */
@Timeout(60)
class FlightTest {
  private static final int TURNS = 50_000;

  @TempDir Path directory;

  @Test
  void shouldAllocateNothingWhileNobodyRecords() throws Exception {
    try (SocketPair pair = new SocketPair(TransportKind.NIO)) {
      pair.listen(SocketPair.nothing());
      RtChannel client = pair.connect(SocketPair.nothing());
      long allocated = client.eventLoop().submit(() -> allocatedBy(client)).get();
      assertThat(allocated).as("bytes by %d turns", TURNS).isZero();
      client.close().sync();
    }
  }

  private static long allocatedBy(RtChannel client) {
    ConnectionFlight flight = new ConnectionFlight(inside(client).link().connection());
    ByteBuffer nothing = ByteBuffer.allocate(0);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long thread = Thread.currentThread().getId();
    long before = 0;
    for (int i = 0; i < 2 * TURNS; i++) {
      if (i == TURNS) {
        before = threads.getThreadAllocatedBytes(thread);
      }
      flight.onTurn(Nodes.RAIL_FLIGHT);
      WatchedWrites.onWrite(client, nothing, client.voidPromise());
      assert !TransactionFlight.isOn();
    }
    return threads.getThreadAllocatedBytes(thread) - before;
  }

  @Test
  void shouldTellOfResendsEndsAndSlowTransactions() throws Exception {
    Map<CounterId, Long> counters;
    int connection;
    List<RecordedEvent> events;
    try (Recording recording =
        recordingOf(
            "io.rtransport.Retransmit", "io.rtransport.Close", "io.rtransport.SlowTransaction")) {
      try (SocketPair pair = new SocketPair(TransportKind.NIO)) {
        pair.listen(SocketPair.nothing());
        RtChannel client = pair.connect(FlightTest::lossy);
        connection = inside(client).link().connection().cid();
        List<ChannelFuture> writes = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
          writes.add(client.writeAndFlush(Push.of(Unpooled.wrappedBuffer(new byte[1_000]))));
        }
        for (ChannelFuture write : writes) {
          write.sync();
        }
        RtChannel child = pair.child();
        child.close(4_711, "enough").sync();
        client.closeFuture().sync();
        counters = client.stats().get().counters();
      }
      events = stop(recording);
    }
    List<RecordedEvent> resends = of(events, "io.rtransport.Retransmit", connection);
    assertThat(sum(resends, "early")).isEqualTo(count(counters, CounterId.RETRANSMITS_EARLY));
    assertThat(sum(resends, "probe")).isEqualTo(count(counters, CounterId.RETRANSMITS_PROBE));
    assertThat(sum(resends, "timeout")).isEqualTo(count(counters, CounterId.RETRANSMITS_TIMEOUT));
    assertThat(sum(resends, "early") + sum(resends, "probe") + sum(resends, "timeout"))
        .as("something was lost")
        .isPositive();
    assertThat(of(events, "io.rtransport.Close", connection))
        .singleElement()
        .satisfies(
            close -> {
              assertThat(close.getLong("code")).isEqualTo(4_711);
              assertThat(close.getString("text")).isEqualTo("enough");
              assertThat(close.getBoolean("byPeer")).isTrue();
              assertThat(close.getLong("packetsResent")).isPositive();
            });
    List<RecordedEvent> slow =
        events.stream()
            .filter(e -> e.getEventType().getName().equals("io.rtransport.SlowTransaction"))
            .toList();
    assertThat(slow).hasSize(300);
    assertThat(slow.get(0).getString("kind")).isEqualTo("push");
    assertThat(slow.get(0).getString("outcome")).isEqualTo("COMPLETED");
    assertThat(slow.get(0).getLong("lengthBytes")).isEqualTo(1_000);
    assertThat(slow.get(0).getDuration()).isPositive();
  }

  private static void lossy(Channel channel) {
    new FaultInjectionHandler(Faults.NONE, Faults.loss(0.1), 3).addTo((RtChannel) channel);
  }

  @Test
  void shouldTellOfGrantsAndCreditThatDoNotMove() throws Exception {
    List<RecordedEvent> events;
    int client;
    int server;
    try (Recording recording = recordingOf("io.rtransport.GrantStall");
        SocketPair pair = new SocketPair(TransportKind.NIO)) {
      pair.listen(
          SocketPair.nothing(), bootstrap -> bootstrap.childOption(ChannelOption.AUTO_READ, false));
      RtChannel channel = pair.connect(SocketPair.nothing());
      client = inside(channel).link().connection().cid();
      RtChannel child = pair.child();
      server = inside(child).link().connection().cid();
      channel.write(new Push(new NothingYet(100_000), new byte[0]));
      for (int i = 0; i < 2_000; i++) { // more than the credit of one who does not read
        channel.write(Unpooled.wrappedBuffer(new byte[2_000]));
      }
      channel.flush();
      await()
          .atMost(20, TimeUnit.SECONDS)
          .until(() -> counts(child).containsKey(CounterId.GRANTS_STALLED));
      await()
          .atMost(20, TimeUnit.SECONDS)
          .until(() -> counts(channel).containsKey(CounterId.CREDIT_STALLS));
      channel.config().setOption(ChannelOption.SO_LINGER, 0);
      channel.close().sync();
      child.closeFuture().sync();
      events = stop(recording);
    }
    assertThat(sum(of(events, "io.rtransport.GrantStall", server), "grants")).isPositive();
    assertThat(sum(of(events, "io.rtransport.GrantStall", client), "credit")).isPositive();
  }

  @Test
  void shouldTellOfPathsAndOfTheHealthOfInterfaces() throws Exception {
    List<RecordedEvent> events;
    int connection;
    String dark;
    try (Recording recording = recordingOf("io.rtransport.Path", "io.rtransport.Interface")) {
      try (SocketPair pair = new SocketPair(TransportKind.NIO)) {
        RtServerChannel server = pair.listen(SocketPair.nothing());
        DarkRelay relay = new DarkRelay(server.localAddress());
        dark = relay.address().toString();
        List<RtRail> rails = List.of(RtRail.to(relay.address()));
        RtChannel client =
            pair.connect(
                SocketPair.nothing(), options -> options.option(RtChannelOption.RAILS, rails));
        connection = inside(client).link().connection().cid();
        pushUntil(client, () -> relay.carriedOut() > 20);
        relay.dark(true, true);
        pushUntil(client, () -> health(relay) < 1_000);
        relay.dark(false, false);
        pushUntil(client, () -> health(relay) == 1_000);
        client.close().sync();
        relay.close();
      }
      events = stop(recording); // the loops have ended, so all that they saw is told
    }
    assertThat(of(events, "io.rtransport.Path", connection))
        .allMatch(e -> e.getString("remote").equals(dark) == (e.getInt("path") == 1))
        .filteredOn(e -> e.getInt("path") == 1) // a busy machine may let the other look silent
        .extracting(e -> e.getString("change"))
        .startsWith("opened")
        .containsSubsequence("usable", "suspect", "usable");
    List<RecordedEvent> ofRelay =
        events.stream()
            .filter(e -> e.getEventType().getName().equals("io.rtransport.Interface"))
            .filter(e -> dark.endsWith(e.getString("name")))
            .toList();
    assertThat(ofRelay.get(0).getInt("healthBefore")).isEqualTo(1_000);
    assertThat(ofRelay.get(0).getInt("health")).isEqualTo(900);
    assertThat(ofRelay.get(0).getString("causes")).isEqualTo("REMOTE_TIMEOUT");
    assertThat(ofRelay)
        .filteredOn(e -> e.getInt("health") == 1_000)
        .isNotEmpty()
        .allMatch(e -> e.getString("causes").isEmpty())
        .noneMatch(e -> e.getBoolean("ours") || e.getBoolean("failed"));
  }

  private static int health(DarkRelay relay) throws Exception {
    String name = relay.address().toString();
    return RtNode.railHealth().reports().stream()
        .filter(ni -> !ni.isLocal() && name.endsWith(ni.name()))
        .mapToInt(NiReport::health)
        .findFirst()
        .orElse(1_000);
  }

  private static void pushUntil(RtChannel client, Callable<Boolean> isDone) {
    await()
        .atMost(20, TimeUnit.SECONDS)
        .pollInterval(1, TimeUnit.MILLISECONDS)
        .until(
            () -> {
              client.writeAndFlush(Unpooled.wrappedBuffer(new byte[100]));
              return isDone.call();
            });
  }

  private static Map<CounterId, Long> counts(RtChannel channel) throws Exception {
    return channel.stats().get().counters();
  }

  /** Starts to record events, each of them however short it is. */
  private static Recording recordingOf(String... events) {
    Recording recording = new Recording();
    for (String event : events) {
      recording.enable(event).withThreshold(Duration.ZERO);
    }
    recording.start();
    return recording;
  }

  private List<RecordedEvent> stop(Recording recording) throws Exception {
    recording.stop();
    Path file = directory.resolve("flight.jfr");
    recording.dump(file);
    List<RecordedEvent> events = new ArrayList<>(RecordingFile.readAllEvents(file));
    events.sort(Comparator.comparing(RecordedEvent::getStartTime)); // the file has each thread's
    Files.delete(file);
    return events;
  }

  private static List<RecordedEvent> of(List<RecordedEvent> events, String name, int connection) {
    return events.stream()
        .filter(
            e -> e.getEventType().getName().equals(name) && e.getInt("connection") == connection)
        .toList();
  }

  private static long sum(List<RecordedEvent> events, String field) {
    return events.stream().mapToLong(event -> event.getLong(field)).sum();
  }

  private static long count(Map<CounterId, Long> counters, CounterId id) {
    return counters.getOrDefault(id, 0L);
  }
}
