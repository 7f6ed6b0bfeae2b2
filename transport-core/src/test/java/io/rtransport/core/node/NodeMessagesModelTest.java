package io.rtransport.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.node.OnceTable.Verdict;
import io.rtransport.core.outcome.MessageStatus;
import io.rtransport.core.outcome.Outcome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Origins and a target, drawn by seeds: attempts that are executed although their connection ended,
 * copies that come late, targets that restart, tables that forget. No message may be executed
 * twice, and none whose origin says that it was not.
 */
class NodeMessagesModelTest {
  private static final int SEEDS = 3_000;
  private static final int STEPS = 400;
  private static final long PEER = 9;

  private static final class Message {
    final long origin;
    long id;
    final PendingMessage state;
    final boolean isRepeatable;
    boolean hasAnotherId;
    int executions;

    Message(long origin, long id, PendingMessage state, boolean isRepeatable) {
      this.isRepeatable = isRepeatable;
      this.origin = origin;
      this.id = id;
      this.state = state;
    }

    int attempt() {
      return state.attempts();
    }
  }

  /** A message on its way to an incarnation of the target; its answer may find nobody. */
  private record Copy(Message message, NodeHeader header, int epoch, int attempt) {}

  /** A HELLO that waits in a router that its origin has left. */
  private record LateHello(long origin, long firstNew, long saidAt, long incarnation) {}

  private final Map<String, Integer> totals = new HashMap<>();

  /** Of each origin the first id that was never sent to an incarnation that has ended. */
  private final long[] firstUnsentBefore = new long[2];

  @Test
  void shouldExecuteNothingTwice() {
    for (int seed = 1; seed <= SEEDS; seed++) {
      try {
        run(new SplittableRandom(seed));
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
    assertThat(totals.keySet())
        .contains(
            "EXECUTE",
            "JOIN",
            "ENDED",
            "UNKNOWN",
            "restart",
            "end COMPLETED",
            "end UNKNOWN",
            "end NOT_EXECUTED",
            "forgotten",
            "forgotten in a connection",
            "sent with another id",
            "executed with another id",
            "moved",
            "to a restarted",
            "late HELLO taken",
            "late HELLO refused");
  }

  private void count(String what) {
    totals.merge(what, 1, Integer::sum);
  }

  private void run(SplittableRandom random) {
    Arrays.fill(firstUnsentBefore, 1);
    long secret = random.nextLong();
    int places = 1 << random.nextInt(17);
    OnceTable<Message> table = new OnceTable<>(secret, places);
    long incarnation = 1;
    int epoch = 0; // of the connections: a new one after each loss
    long nowNs = 0;
    long[] nextId = {1, 1};
    long[] firstUnsent = {1, 1}; // to this incarnation; 0: nothing yet
    List<Message> messages = new ArrayList<>();
    List<Copy> copies = new ArrayList<>();
    List<LateHello> hellos = new ArrayList<>();
    hello(table, firstUnsent, messages);
    for (int step = 0; step < STEPS; step++) {
      nowNs += random.nextInt(50);
      int what = random.nextInt(100);
      if (what < 20) {
        int origin = random.nextInt(2);
        MessageKind kind = random.nextBoolean() ? MessageKind.PUT : MessageKind.PUT_ACK;
        long deadlineNs = nowNs + 200 + random.nextInt(3_000);
        boolean isRepeatable = random.nextInt(4) == 0;
        PendingMessage state =
            new PendingMessage(kind, isRepeatable, deadlineNs, random.nextInt(6), 20, nowNs);
        messages.add(new Message(origin + 1, nextId[origin]++, state, isRepeatable));
      } else if (what < 60) {
        for (Message message : messages) {
          if (message.state.maySend(incarnation, nowNs) && random.nextInt(3) == 0) {
            int origin = (int) message.origin - 1;
            firstUnsent[origin] = Math.max(firstUnsent[origin], message.id + 1);
            NodeHeader header =
                new NodeHeader(
                    MessageKind.PUT,
                    false,
                    8,
                    message.origin,
                    message.id,
                    endedBelow(messages, message.origin, message.id),
                    message.state.boundTarget());
            message.state.onSent(incarnation);
            copies.add(new Copy(message, header, epoch, message.attempt()));
          }
        }
      } else if (what < 80 && !copies.isEmpty()) {
        Copy copy = copies.remove(random.nextInt(copies.size()));
        boolean isRefused = deliver(table, copy, incarnation, epoch, nowNs, random);
        Message message = copy.message;
        if (isRefused && message.state.onRefused(nowNs)) {
          int origin = (int) message.origin - 1;
          message.id = nextId[origin]++;
          message.hasAnotherId = true;
          count("sent with another id");
          hello(table, origin, firstUnsent, messages);
        }
      } else if (what < 84) {
        // A router does not answer: what went by it is sent again, while it may still come.
        for (Message message : messages) {
          if (message.state.move(nowNs)) {
            count("moved");
          }
        }
      } else if (what < 92) {
        epoch++; // the connection is lost: attempts under way end, their copies may still come
        for (Message message : messages) {
          boolean isOnItsWay = copies.stream().anyMatch(copy -> copy.message == message);
          message.state.onAttemptEnded(
              isOnItsWay || message.executions > 0 ? Outcome.UNKNOWN : Outcome.NOT_EXECUTED, nowNs);
        }
        if (random.nextInt(3) == 0) { // and the target is another one
          table = new OnceTable<>(secret, places);
          incarnation++;
          for (int i = 0; i < firstUnsent.length; i++) {
            firstUnsentBefore[i] = Math.max(firstUnsentBefore[i], firstUnsent[i]);
            firstUnsent[i] = 0;
          }
          count("restart");
          copies.removeIf(copy -> true);
        } else if (random.nextInt(4) == 0) {
          forget(table, random);
        }
        for (Message message : messages) {
          message.state.onTarget(incarnation);
        }
        hello(table, firstUnsent, messages);
      } else if (what < 94) {
        int origin = random.nextInt(2);
        long firstNew = firstNew(origin, firstUnsent, messages);
        hellos.add(new LateHello(origin + 1, firstNew, table.mark(), incarnation));
      } else if (what < 96 && !hellos.isEmpty()) {
        LateHello late = hellos.remove(random.nextInt(hellos.size()));
        if (late.incarnation == incarnation) {
          boolean isTaken = table.hello(late.origin, late.firstNew, PEER, late.saidAt);
          count("late HELLO " + (isTaken ? "taken" : "refused"));
        }
      }
      if (random.nextInt(100) == 0) {
        forget(
            table, random); // until one of its messages is refused, an origin knows nothing of that
        count("forgotten in a connection");
      }
      for (Message message : messages) {
        message.state.onTime(nowNs);
      }
      check(messages);
    }
  }

  /** Other origins push ours out of the table. */
  private void forget(OnceTable<Message> table, SplittableRandom random) {
    boolean isByPeer = random.nextBoolean();
    int others = isByPeer ? OnceTable.ORIGINS_OF_PEER_MAX : OnceTable.ORIGINS_MAX;
    for (long other = 1_000; other < 1_000 + others; other++) {
      table.hello(other, 1, isByPeer ? PEER : other, table.mark());
    }
    count("forgotten");
  }

  private static void hello(OnceTable<Message> table, long[] firstUnsent, List<Message> messages) {
    for (int origin = 0; origin < firstUnsent.length; origin++) {
      hello(table, origin, firstUnsent, messages);
    }
  }

  private static void hello(
      OnceTable<Message> table, int origin, long[] firstUnsent, List<Message> messages) {
    long saidAt = table.mark();
    assertThat(table.hello(origin + 1, firstNew(origin, firstUnsent, messages), PEER, saidAt))
        .isTrue();
  }

  private static long firstNew(int origin, long[] firstUnsent, List<Message> messages) {
    return firstUnsent[origin] == 0
        ? endedBelow(messages, origin + 1, Long.MAX_VALUE >> 1)
        : firstUnsent[origin];
  }

  private static long endedBelow(List<Message> messages, long origin, long id) {
    return messages.stream()
        .filter(m -> m.origin == origin && m.state.status() == null)
        .mapToLong(m -> m.id)
        .min()
        .orElse(id);
  }

  /** Returns whether its origin reads that the target does not know the id. */
  private boolean deliver(
      OnceTable<Message> table,
      Copy copy,
      long incarnation,
      int epoch,
      long nowNs,
      SplittableRandom random) {
    NodeHeader header = copy.header;
    boolean isMeant = header.target() == 0 || header.target() == incarnation;
    Verdict verdict =
        isMeant ? table.offer(header.origin(), header.id(), header.endedBelow()) : Verdict.UNKNOWN;
    count(verdict.name());
    Message message = copy.message;
    if (verdict == Verdict.EXECUTE) {
      table.begin(header.origin(), header.id(), message);
      message.executions++;
      assertThat(message.executions == 1 || message.isRepeatable).as("executed once").isTrue();
      count(
          header.id() < firstUnsentBefore[(int) message.origin - 1] ? "to a restarted" : "EXECUTE");
      assertThat(message.state.status())
          .as("its origin believes that it was not executed")
          .isNotEqualTo(MessageStatus.NOT_EXECUTED);
      if (random.nextBoolean()) {
        return false; // it goes on executing, until its connection is lost or a copy joins it
      }
      table.end(header.origin(), header.id(), 0);
    } else if (verdict == Verdict.JOIN) {
      assertThat(table.execution(header.origin(), header.id())).isSameAs(message);
      table.end(header.origin(), header.id(), 0);
    }
    boolean isExecuted = verdict != Verdict.UNKNOWN;
    if (isExecuted && message.hasAnotherId) {
      count("executed with another id");
    }
    // of one that was left only its completion counts
    boolean isLast = message.state.isUnderWay() && copy.attempt == message.attempt();
    if (copy.epoch == epoch && isExecuted) { // else its answer finds nobody
      message.state.onAttemptEnded(Outcome.COMPLETED, nowNs);
    }
    return copy.epoch == epoch && !isExecuted && isLast;
  }

  private void check(List<Message> messages) {
    for (Message message : messages) {
      if (message.state.status() == MessageStatus.NOT_EXECUTED) {
        assertThat(message.executions).isZero();
      } else if (message.state.status() == MessageStatus.COMPLETED) {
        assertThat(message.executions).isPositive();
      }
      if (message.state.status() != null) {
        count("end " + message.state.status());
      }
    }
    messages.removeIf(message -> message.state.status() != null && message.executions >= 1);
  }
}
