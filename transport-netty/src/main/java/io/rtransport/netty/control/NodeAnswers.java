package io.rtransport.netty.control;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.rtransport.core.json.Json;
import io.rtransport.netty.internal.loop.Nodes;
import io.rtransport.netty.internal.stat.NodeDocument;
import io.rtransport.netty.internal.stat.NodeStat;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The state of this process's node as a line of JSON. Who asks within {@link #HOLD_NS} of an answer
 * gets the same one, and who asks while the node is read waits for that reading. So the event loops
 * are read a few times a second, however often and by however many they are asked. Confined to the
 * control socket's thread.
 */
final class NodeAnswers {
  /** Age up to which an answer is given again, ns. */
  static final long HOLD_NS = 200_000_000;

  /** Time after which an event loop is left out of an answer, ms. */
  private static final long LOOP_LIMIT_MILLIS = 2_000;

  private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(NodeAnswers.class);

  private final List<Consumer<String>> waiting = new ArrayList<>();
  private EventExecutor executor;
  private String last;
  private long lastNs;
  private int readings;

  /**
   * Gives the answer to {@code then}, at once or later.
   *
   * @param own the executor of this thread
   */
  void ask(EventExecutor own, Consumer<String> then) {
    executor = own;
    if (last != null && nowNs() - lastNs < HOLD_NS) {
      then.accept("ok " + last);
      return;
    }
    last = null;
    waiting.add(then);
    if (waiting.size() == 1) {
      lastNs = nowNs(); // a state is as old as the begin of its reading
      readings++;
      NodeStat.read(own, LOOP_LIMIT_MILLIS, this::onRead);
    }
  }

  /** Forgets the last answer: something was set. */
  void forget() {
    last = null;
  }

  /** Returns how many times the node was read. */
  int readings() {
    return readings;
  }

  private void onRead(NodeStat node) {
    List<Consumer<String>> told = List.copyOf(waiting);
    waiting.clear();
    String answer;
    try {
      last = Json.write(NodeDocument.of(node, Nodes.RAIL_HEALTH, Nodes.BUDGETS, nowNs()));
      answer = "ok " + last;
    } catch (RuntimeException e) {
      LOGGER.warn("a state that cannot be told", e);
      answer = "refused the state cannot be told; see the log of the node";
    }
    for (Consumer<String> each : told) {
      each.accept(answer);
    }
  }

  private long nowNs() {
    return executor.ticker().nanoTime();
  }
}
