package io.rtransport.netty.queue;

import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.outcome.Outcome;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;

/** Queues of one process over real sockets, closed at the end of each test. */
abstract class QueueRig {
  static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  static final Duration TURN = Duration.ofMillis(20);

  final List<RtQueues> opened = new ArrayList<>();

  @AfterEach
  void close() {
    opened.forEach(RtQueues::close);
  }

  RtQueues open(RtQueueConfig config) {
    RtQueues queues = RtQueues.open(config);
    opened.add(queues);
    return queues;
  }

  /** Takes down what a consumer is given. */
  static class Recorder implements RtQueueHandler {
    final Map<Long, Outcome> ends = new HashMap<>();
    final Map<Long, Integer> codes = new HashMap<>();
    final Map<Long, String> answers = new HashMap<>();
    final List<String> messages = new ArrayList<>();
    final List<RtQueueConnection> open = new ArrayList<>();
    final List<CloseReason> closed = new ArrayList<>();
    int endsTwice;

    @Override
    public String toString() {
      return ends.size() + " ends, " + messages.size() + " messages, closed " + closed;
    }

    @Override
    public void onCompletion(RtQueueEntry entry) {
      if (ends.put(entry.tag(), entry.outcome()) != null) {
        endsTwice++;
      }
      codes.put(entry.tag(), entry.code());
      if (entry.buffer() != null) {
        answers.put(entry.tag(), text(entry));
      }
    }

    @Override
    public void onMessage(RtQueueEntry entry) {
      messages.add(text(entry));
    }

    @Override
    public void onOpen(RtQueueConnection connection) {
      open.add(connection);
    }

    @Override
    public void onClosed(RtQueueConnection connection, CloseReason reason) {
      closed.add(reason);
    }
  }

  static String text(RtQueueEntry entry) {
    byte[] bytes = new byte[entry.length()];
    entry.buffer().get(entry.offset(), bytes);
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  static long push(RtQueueConnection connection, String text, long tag) {
    byte[] bytes = bytes(text);
    return connection.submitPush(bytes, 0, bytes.length, tag);
  }

  /** Polls both by turns until something holds. */
  static void until(
      RtQueues one, RtQueueHandler a, RtQueues other, RtQueueHandler b, BooleanSupplier holds) {
    long deadlineNs = System.nanoTime() + 20_000_000_000L;
    while (!holds.getAsBoolean()) {
      if (System.nanoTime() - deadlineNs > 0) {
        throw new AssertionError("still: " + a + " and " + b);
      }
      if (one.poll(a, 64) + other.poll(b, 64) == 0) {
        one.await(a, 64, Duration.ofMillis(1));
      }
    }
  }
}
