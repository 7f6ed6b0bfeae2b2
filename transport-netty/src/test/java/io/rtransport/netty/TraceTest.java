package io.rtransport.netty;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import io.rtransport.core.json.Json;
import io.rtransport.core.stats.CounterId;
import io.rtransport.netty.handler.FaultInjectionHandler;
import io.rtransport.netty.handler.Faults;
import io.rtransport.netty.trace.RtTrace;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A channel's trace tells all of its packets and transactions, as JSON that the page describes. */
@Timeout(60)
class TraceTest {
  /** Takes pushes and answers pulls but those for more than 1,000 bytes. */
  private static final class Serving extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      if (message instanceof RtPullRequest request) {
        if (request.lengthBytesMax() > 1_000) {
          request.fail(404, "too much");
        } else {
          request.respond(new byte[10]);
        }
      } else {
        ReferenceCountUtil.release(message);
        ctx.writeAndFlush(Unpooled.wrappedBuffer(new byte[3]), ctx.voidPromise());
      }
    }
  }

  private final List<String> lines = new ArrayList<>();
  private final Set<String> words = new TreeSet<>();

  @Test
  void shouldTellOfEveryPacketAndTransaction() throws Exception {
    Map<CounterId, Long> counters;
    List<Map<String, Object>> events;
    try (SocketPair pair = new SocketPair(TransportKind.NIO)) {
      pair.listen(SocketPair.handlers(new Serving()));
      RtChannel client =
          pair.connect(
              channel -> {
                // So many that some are damaged however few packets come, one read bringing many.
                new FaultInjectionHandler(new Faults(0, 0, 0, 0.3, 0, 0), Faults.loss(0.05), 5)
                    .addTo((RtChannel) channel);
                trace(channel);
              });
      List<ChannelFuture> writes = new ArrayList<>();
      byte[] header = "a header".getBytes(UTF_8);
      for (int i = 0; i < 50; i++) {
        writes.add(client.write(Push.of(Unpooled.wrappedBuffer(new byte[100]), header)));
        writes.add(client.write(Unpooled.wrappedBuffer(new byte[20_000])));
        Pull pull = Pull.of(header, 100);
        pull.answer().thenAccept(ByteBuf::release);
        writes.add(client.write(pull));
      }
      ChannelFuture refused = client.write(Pull.of(header, 2_000));
      client.writeAndFlush(Unpooled.EMPTY_BUFFER, client.voidPromise());
      for (ChannelFuture write : writes) {
        write.sync();
      }
      assertThat(refused.await(20, TimeUnit.SECONDS)).isTrue();
      List<String> copy = new ArrayList<>();
      counters =
          client
              .eventLoop()
              .submit(
                  () -> {
                    copy.addAll(lines);
                    return client.stats().getNow().counters();
                  })
              .get();
      events = parse(copy);
      client.close().sync();
    }
    List<Map<String, Object>> packets = of(events, "packet");
    assertThat(packets.stream().filter(p -> p.get("direction").equals("out")))
        .hasSize(counters.get(CounterId.DATAGRAMS_SENT).intValue());
    assertThat(packets.stream().filter(p -> p.get("direction").equals("in")))
        .hasSize(counters.get(CounterId.DATAGRAMS_RECEIVED).intValue());
    assertThat(packets.stream().filter(p -> Boolean.TRUE.equals(p.get("refused"))))
        .as("damaged ones")
        .hasSize(dropped(counters))
        .isNotEmpty();
    assertThat(packets.toString())
        .contains("type=CONNECT", "type=ACCEPT", "type=REQUEST", "type=DATA")
        .contains("PUSH_UNSOLICITED_DATA", "PUSH_SOLICITED_REQUEST", "PUSH_SOLICITED_DATA")
        .contains("PUSH_GRANT", "PULL_REQUEST", "PULL_DATA", "COMPLETED", "COMPLETE_IN_ERROR");
    assertThat(of(events, "write")).hasSize(152);
    List<Map<String, Object>> ends = of(events, "end");
    assertThat(ends.stream().map(end -> end.get("transaction")).distinct()).hasSize(151);
    assertThat(ends).hasSize(151);
    assertThat(ends.stream().filter(end -> "COMPLETED".equals(end.get("outcome")))).hasSize(150);
    Map<String, Object> failed =
        ends.stream().filter(end -> !"COMPLETED".equals(end.get("outcome"))).findFirst().get();
    assertThat(failed)
        .containsEntry("transaction", 151L)
        .containsEntry("outcome", "FAILED")
        .containsEntry("code", 404L)
        .containsEntry("fromTransport", false);
    assertThat(of(events, "read")).isNotEmpty();
    assertThat(of(events, "active")).hasSize(1);
  }

  /** By the door: a flipped bit may also make a packet shorter or of another version. */
  private static int dropped(Map<CounterId, Long> counters) {
    return counters.entrySet().stream()
        .filter(counter -> counter.getKey().name().startsWith("DROP_"))
        .mapToInt(counter -> counter.getValue().intValue())
        .sum();
  }

  private void trace(Channel channel) {
    RtTrace.ofPackets(lines::add).addTo((RtChannel) channel);
    channel.pipeline().addLast(new Releasing());
  }

  private static final class Releasing extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ReferenceCountUtil.release(message);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      // Traced.
    }
  }

  private List<Map<String, Object>> parse(List<String> texts) {
    List<Map<String, Object>> events = new ArrayList<>();
    long lastNs = 0;
    for (String text : texts) {
      assertThat(text).doesNotContain("\n");
      Map<String, Object> event = object(Json.parse(text));
      assertThat(event).containsKeys("timeNs", "channel", "event");
      long timeNs = ((Number) event.get("timeNs")).longValue();
      assertThat(timeNs).isGreaterThanOrEqualTo(lastNs);
      lastNs = timeNs;
      collect(event);
      events.add(event);
    }
    return events;
  }

  /** Keys, and names of events. */
  private void collect(Map<String, Object> event) {
    words.addAll(event.keySet());
    if (event.get("event") instanceof String name) {
      words.add(name);
    }
    for (Object value : event.values()) {
      if (value instanceof Map<?, ?>) {
        collect(object(value));
      } else if (value instanceof List<?> list) {
        list.forEach(element -> collect(object(element)));
      }
    }
  }

  @SuppressWarnings("unchecked") // keys of JSON objects are strings
  private static Map<String, Object> object(Object value) {
    return (Map<String, Object>) value;
  }

  private static List<Map<String, Object>> of(List<Map<String, Object>> events, String name) {
    return events.stream().filter(event -> event.get("event").equals(name)).toList();
  }

  @Test
  void shouldTellOfTransactionsAloneAndOfTheEnd() throws Exception {
    List<String> copy;
    try (SocketPair pair = new SocketPair(TransportKind.NIO)) {
      pair.listen(SocketPair.handlers(new Serving()));
      RtChannel client =
          pair.connect(
              channel -> {
                RtTrace.ofTransactions(lines::add).addTo((RtChannel) channel);
                channel.pipeline().addLast(new Releasing());
              });
      client.writeAndFlush(Unpooled.wrappedBuffer(new byte[1 << 20])).sync();
      client.writeAndFlush("not a message").await();
      pair.child().close(300, "enough \"of\" it").sync();
      await()
          .atMost(20, TimeUnit.SECONDS) // channelInactive comes behind the close future
          .until(
              () -> client.eventLoop().submit(() -> lines.toString().contains("inactive")).get());
      copy = client.eventLoop().submit(() -> List.copyOf(lines)).get();
    }
    List<Map<String, Object>> events = parse(copy);
    assertThat(of(events, "packet")).isEmpty();
    assertThat(of(events, "writability")).isNotEmpty();
    assertThat(of(events, "end").toString()).contains("outcome=null", "unsupported message type");
    Map<String, Object> last = events.get(events.size() - 1);
    assertThat(last).containsEntry("event", "inactive");
    assertThat(object(last.get("reason")))
        .containsEntry("code", 300L)
        .containsEntry("text", "enough \"of\" it")
        .containsEntry("byPeer", true);
  }

  /** Runs after both kinds of trace of its own, so that every word that they say is looked up. */
  @Test
  void shouldSayNothingThatThePageDoesNotExplain() throws Exception {
    shouldTellOfEveryPacketAndTransaction();
    lines.clear();
    shouldTellOfTransactionsAloneAndOfTheEnd();
    String page = Files.readString(Path.of("..", "docs", "guide", "watching.md"));
    assertThat(words)
        .hasSizeGreaterThan(25)
        .allSatisfy(w -> assertThat(page).contains("`" + w + "`"));
  }
}
