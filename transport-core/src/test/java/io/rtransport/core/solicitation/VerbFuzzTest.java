package io.rtransport.core.solicitation;

import io.rtransport.core.solicitation.VerbPair.End;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.OutboxEntry.Kind;
import io.rtransport.core.wire.CloseCode;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Two ends whose applications poll, and use every verb at every moment: between two entries, inside
 * one, of transactions that are over, that never were, or that are the other side's. Each byte
 * comes once and right, each end once, DELIVERED once and not before all; and when both have ended
 * nothing is held. {@code -Dverbfuzz.first} and {@code -Dverbfuzz.seeds} choose the seeds.
 */
class VerbFuzzTest {
  private static final long FIRST = Long.getLong("verbfuzz.first", 1);
  private static final long SEEDS = Long.getLong("verbfuzz.seeds", 500);

  enum State {
    ASKED,
    LATER,
    ACCEPTED,
    DEAD,
    DELIVERED,
    DONE
  }

  static final class In {
    long rsn;
    long tag;
    long length;
    boolean isAnswer;
    long handle = -1;
    BitSet bytes;
    State state = State.ASKED;
    boolean isEffective; // an entry with its handle came
    long untaken;
    boolean isRequest;
    boolean failedByApp;
    boolean isClosed;
  }

  final class Side {
    final End end;
    final String name;
    final Map<Long, In> pushes = new HashMap<>();
    final Map<Long, In> answers = new HashMap<>();
    final Map<Long, In> handles = new HashMap<>();
    final Map<Long, Boolean> ended = new HashMap<>();
    final ArrayDeque<String> log = new ArrayDeque<>();
    final List<Long> rsns = new ArrayList<>();
    long nextHandle = 1;
    long lastTag = -1;
    long lastEnd = -1;
    boolean isGone;
    In openNow;

    Side(End end, String name) {
      this.end = end;
      this.name = name;
      end.consumer = this::on;
      end.slow = random;
    }

    void log(String text) {
      log.add(text);
      if (log.size() > 400) {
        log.poll();
      }
    }

    void check(boolean is, String text) {
      if (!is) {
        throw new AssertionError(name + ": " + text);
      }
    }

    // ---- verbs

    long anyRsn() {
      int which = random.nextInt(10);
      if (which == 0 || rsns.isEmpty()) {
        return random.nextLong(1L << 32);
      }
      if (which == 1) {
        return Integer.toUnsignedLong(VerbPair.RSN + random.nextInt(60));
      }
      int size = rsns.size();
      return rsns.get(Math.max(0, size - 1 - random.nextInt(Math.min(size, 12))));
    }

    void chaos(double p) {
      while (random.nextDouble() < p) {
        verb();
      }
    }

    void verb() {
      long rsn = anyRsn();
      In push = pushes.get(rsn);
      In answer = answers.get(rsn);
      SolicitationSublayer sol = end.solicitation;
      switch (random.nextInt(isPumpedInside ? 24 : 20)) {
        case 20, 21 -> {
          log("pump inside");
          pair.pump(end);
        }
        case 22 -> {
          log("transmitting");
          sol.onTransmitting(random.nextBoolean(), pair.nowNs);
          pair.pump(end);
          sol.onTransmitted();
        }
        case 23 -> {
          if (random.nextInt(40) == 0) {
            log("refuseNew");
            sol.refuseNew();
          }
          if (random.nextInt(40) == 0) {
            log("finish");
            sol.finish();
          }
        }
        case 0 -> accept(rsn);
        case 1 -> refuse(rsn);
        case 2 -> {
          log("failSink " + rsn);
          if (push != null && push.state == State.ACCEPTED) {
            push.failedByApp = true;
          }
          sol.failSink(rsn);
        }
        case 3 -> {
          long n = random.nextInt(3000);
          log("taken " + rsn + " " + n);
          sol.taken(rsn, n);
        }
        case 4 -> acknowledge(rsn);
        case 5 -> fail(rsn);
        case 6 -> {
          log("respond " + rsn);
          if (push != null && push.isRequest) {
            respond(push);
          } else {
            end.transactions.inbound().respond(rsn, end, -5, 0);
          }
        }
        case 7 -> {
          log("retry " + rsn);
          sol.retryOpen(rsn);
        }
        case 8 -> {
          log("retryAll");
          sol.retryOpen();
        }
        case 9, 10 -> {
          log("cancel " + rsn);
          end.transactions.cancel(rsn);
        }
        case 11 -> {
          log("deadline " + rsn);
          end.transactions.deadline(rsn, pair.nowNs + random.nextInt(2_000_000) - 500_000);
        }
        case 12 -> acceptAnswer(rsn);
        case 13 -> refuseAnswer(rsn);
        case 14 -> {
          log("failAnswerSink " + rsn);
          if (answer != null && answer.state == State.ACCEPTED) {
            answer.failedByApp = true;
          }
          sol.failAnswerSink(rsn);
        }
        case 15 -> {
          long n = random.nextInt(3000);
          log("takenOfPull " + rsn + " " + n);
          sol.takenOfPull(rsn, n);
        }
        case 16 -> {
          long h = end.nextHandle - 1 - random.nextInt(4);
          log("ready " + h);
          sol.ready(h);
        }
        case 17 -> sol.wholeLengthMax(random.nextInt(4) == 0 ? -1 : random.nextInt(1500));
        case 18 -> {
          log("failByTransport " + rsn);
          if (push != null) {
            push.failedByApp = true;
          }
          end.transactions.inbound().failByTransport(rsn, CloseCode.REFUSED_BY_SINK, false);
        }
        default -> submit();
      }
    }

    void submit() {
      long length =
          switch (random.nextInt(6)) {
            case 0 -> 0;
            case 1, 2 -> random.nextInt(200);
            case 3 -> random.nextInt(8_000);
            case 4 -> random.nextInt(40_000);
            default -> random.nextInt(400_000);
          };
      long rsn = end.transactions.nextSubmission();
      boolean isPull = random.nextInt(3) == 0;
      long tag = isPull ? end.pull(length) : end.push(length);
      if (tag >= 0) {
        log("submit " + (isPull ? "pull " : "push ") + rsn + " tag " + tag + " of " + length);
        rsns.add(rsn);
        if (random.nextInt(20) == 0) {
          end.transactions.cancel(rsn);
        }
      }
    }

    private long handle(In in) {
      long handle = nextHandle++;
      handles.put(handle, in);
      int manner = random.nextInt(8);
      if (manner == 0) {
        end.kept.add(handle);
      } else if (manner == 1) {
        end.behind.add(handle);
      }
      return handle;
    }

    void accept(long rsn) {
      In in = pushes.get(rsn);
      boolean can =
          in != null && !in.isRequest && (in.state == State.ASKED || in.state == State.LATER);
      if (can) {
        in.handle = handle(in);
        in.state = State.ACCEPTED;
        log("accept " + rsn + " as " + in.handle);
        in.isClosed =
            !end.solicitation.accept(
                rsn, in.handle, end.kept.contains(in.handle), end.untakenBytesMax(in.handle));
      } else {
        log("accept' " + rsn);
        check(
            !end.solicitation.accept(rsn, 999_999_999L, false, Long.MAX_VALUE),
            "accepted, and not asked for");
      }
    }

    void refuse(long rsn) {
      In in = pushes.get(rsn);
      log("refuse " + rsn);
      if (in != null && !in.isRequest && (in.state == State.ASKED || in.state == State.LATER)) {
        in.state = State.DEAD;
      }
      end.solicitation.refuse(rsn, 77, false);
    }

    void acceptAnswer(long rsn) {
      In in = answers.get(rsn);
      if (in != null && in.state == State.ASKED && openNow == in) {
        in.handle = handle(in);
        in.state = State.ACCEPTED;
        log("acceptAnswer " + rsn + " as " + in.handle);
        in.isClosed =
            !end.solicitation.acceptAnswer(rsn, in.handle, end.untakenBytesMax(in.handle));
      } else {
        log("acceptAnswer' " + rsn);
        check(
            !end.solicitation.acceptAnswer(rsn, 999_999_999L, Long.MAX_VALUE),
            "accepted, and not asked for");
      }
    }

    void refuseAnswer(long rsn) {
      In in = answers.get(rsn);
      log("refuseAnswer " + rsn);
      if (in != null && in.state == State.ASKED && openNow == in) {
        in.state = State.DEAD;
      }
      end.solicitation.refuseAnswer(rsn, 78, random.nextInt(3) == 0);
    }

    void acknowledge(long rsn) {
      log("ack " + rsn);
      In in = pushes.get(rsn);
      if (in != null && in.state == State.DELIVERED && !in.isRequest) {
        in.state = State.DONE;
      }
      end.transactions.inbound().acknowledge(rsn);
    }

    void fail(long rsn) {
      log("fail " + rsn);
      In in = pushes.get(rsn);
      if (in != null) {
        in.failedByApp = true;
        if (in.state == State.ASKED || in.state == State.LATER) {
          in.state = State.DEAD;
        }
        if (in.state == State.DELIVERED) {
          in.state = State.DONE;
        }
      }
      end.transactions.inbound().fail(rsn, 79, "no");
    }

    void respond(In in) {
      long length = in.length == 0 ? 0 : random.nextLong(in.length + 1);
      if (end.respond(in.rsn, in.tag, length)) {
        in.state = State.DONE;
      }
    }

    // ---- entries

    void on(OutboxEntry e) {
      openNow = null;
      if (isGone) {
        check(
            e.kind() == Kind.SOURCE_RELEASED
                || e.kind() == Kind.DELIVERED
                || e.kind() == Kind.ENDED,
            e.kind() + " after the end");
      }
      switch (e.kind()) {
        case MESSAGE -> onMessage(e);
        case OPENED -> onOpened(e);
        case BYTES -> onBytes(e);
        case DELIVERED -> onDelivered(e);
        case REQUESTED -> onRequested(e);
        case SOURCE_RELEASED -> end.onSourceReleased(e.handle());
        case ENDED -> onEnded(e);
        case ROOM -> {
          log("ROOM");
          chaos(chaosP);
        }
        default -> throw new AssertionError();
      }
      if (!isGone && endInside > 0 && random.nextInt(endInside) == 0) {
        log("endAll inside");
        isGone = true;
        end.transactions.endAll(5, "gone");
      }
    }

    void order(long tag) {
      if (isOrdered) {
        check(tag > lastTag, "tag " + tag + " after " + lastTag);
        lastTag = tag;
      }
    }

    void onMessage(OutboxEntry e) {
      In in = new In();
      in.rsn = e.rsn();
      in.tag = e.buffer().getLong(e.headerOffset());
      in.length = e.length();
      log("MESSAGE " + in.rsn + " tag " + in.tag);
      check(
          e.headerLength() == 12 && e.buffer().getInt(e.headerOffset() + 8) == in.length, "header");
      check(pushes.put(in.rsn, in) == null, "message twice " + in.rsn);
      rsns.add(in.rsn);
      in.state = State.DELIVERED;
      order(in.tag);
      ByteBuffer buffer = e.buffer();
      int at = e.offset();
      int length = e.length();
      checkBytes(buffer, at, length, in.tag, 0);
      if (random.nextInt(3) > 0) {
        acknowledge(in.rsn);
      }
      chaos(chaosP);
      checkBytes(buffer, at, length, in.tag, 0);
    }

    void checkBytes(ByteBuffer in, int at, int length, long tag, long offset) {
      for (int i = 0; i < length; i++) {
        if (in.get(at + i) != End.content(tag, offset + i)) {
          throw new AssertionError(name + ": byte " + (offset + i) + " of " + tag + " wrong");
        }
      }
    }

    void onOpened(OutboxEntry e) {
      Map<Long, In> of = e.isAnswer() ? answers : pushes;
      In in = of.get(e.rsn());
      log("OPENED " + (e.isAnswer() ? "answer " : "push ") + e.rsn() + " of " + e.messageLength());
      long tag =
          e.isAnswer() ? -1 - ((int) e.rsn() - VerbPair.RSN) : e.buffer().getLong(e.headerOffset());
      if (in == null) {
        in = new In();
        in.rsn = e.rsn();
        in.isAnswer = e.isAnswer();
        in.length = e.messageLength();
        in.bytes = new BitSet();
        in.tag = tag;
        of.put(in.rsn, in);
        rsns.add(in.rsn);
        if (!in.isAnswer) {
          check(
              e.headerLength() == 12 && e.buffer().getInt(e.headerOffset() + 8) == in.length,
              "header");
        }
      } else {
        check(!in.isAnswer && in.state == State.LATER, "opened again " + in.state + " " + in.rsn);
        check(in.tag == tag, "tag");
      }
      in.state = State.ASKED;
      openNow = in;
      chaos(chaosP / 2);
      if (in.state == State.ASKED) {
        int manner = random.nextInt(10);
        if (manner < 6 || isCalm) {
          if (in.isAnswer) {
            acceptAnswer(in.rsn);
          } else {
            accept(in.rsn);
          }
        } else if (manner == 6) {
          if (in.isAnswer) {
            refuseAnswer(in.rsn);
          } else {
            refuse(in.rsn);
          }
        }
      }
      chaos(chaosP / 2);
      if (in.state == State.ASKED) {
        in.state = in.isAnswer ? State.DEAD : State.LATER;
      }
      openNow = null;
    }

    void onBytes(OutboxEntry e) {
      In in = handles.get(e.handle());
      log(
          "BYTES "
              + (e.isAnswer() ? "answer " : "push ")
              + e.rsn()
              + " "
              + e.messageOffset()
              + "+"
              + e.length());
      check(in != null, "bytes of an unknown handle " + e.handle());
      check(in.rsn == e.rsn() && in.isAnswer == e.isAnswer(), "whose");
      check(!in.failedByApp, "bytes of what was failed " + in.rsn);
      check(in.state == State.ACCEPTED && !in.isClosed, "bytes in " + in.state);
      check(e.length() > 0, "no bytes");
      in.isEffective = true;
      int from = (int) e.messageOffset();
      int to = from + e.length();
      check(to <= in.length, "beyond the end");
      int set = in.bytes.nextSetBit(from);
      check(set < 0 || set >= to, "a byte twice");
      in.bytes.set(from, to);
      ByteBuffer buffer = e.buffer();
      int at = e.offset();
      checkBytes(buffer, at, e.length(), in.tag, from);
      int take = random.nextInt(4) == 0 ? random.nextInt(e.length() + 1) : e.length();
      if (end.kept.contains(in.handle)) {
        take = 0;
      }
      if (take > 0) {
        log("take " + take);
        if (in.isAnswer) {
          end.solicitation.takenOfPull(in.rsn, take);
        } else {
          end.solicitation.taken(in.rsn, take);
        }
      }
      in.untaken += to - from - take;
      chaos(chaosP);
      checkBytes(buffer, at, to - from, in.tag, from);
    }

    void onDelivered(OutboxEntry e) {
      In in = handles.get(e.handle());
      log("DELIVERED " + e.handle() + " " + e.isWhole() + (in == null ? "" : " rsn " + in.rsn));
      check(in != null, "delivered of an unknown handle");
      check(!in.isClosed, "delivered twice");
      in.isClosed = true;
      in.isEffective = true;
      if (e.isWhole()) {
        check(!in.failedByApp || in.isAnswer, "whole though failed " + in.rsn);
        check(
            in.bytes.cardinality() == in.length,
            "not whole: " + in.bytes.cardinality() + " of " + in.length);
        if (!in.isAnswer) {
          order(in.tag);
          in.state = State.DELIVERED;
          if (random.nextInt(2) == 0) {
            acknowledge(in.rsn);
          }
        } else {
          in.state = State.DONE;
        }
      } else {
        in.state = State.DEAD;
      }
      chaos(chaosP);
    }

    void onRequested(OutboxEntry e) {
      In in = new In();
      in.rsn = e.rsn();
      in.tag = e.buffer().getLong(e.headerOffset());
      in.length = e.limitBytes();
      in.isRequest = true;
      in.state = State.DELIVERED;
      log("REQUESTED " + in.rsn + " tag " + in.tag);
      check(pushes.put(in.rsn, in) == null, "requested twice");
      rsns.add(in.rsn);
      order(in.tag);
      if (random.nextInt(3) > 0) {
        respond(in);
      }
      chaos(chaosP);
    }

    void onEnded(OutboxEntry e) {
      log("ENDED " + e.tag() + " " + e.outcome() + " " + e.code());
      check(e.count() == 1, e.count() + " ends of " + e.tag());
      check(ended.put(e.tag(), true) == null, "ended twice " + e.tag());
      if (isOrdered) {
        check(e.tag() == lastEnd + 1, "end of " + e.tag() + " after " + lastEnd);
        lastEnd = e.tag();
      }
      long rsn = Integer.toUnsignedLong((int) (VerbPair.RSN + e.tag()));
      In answer = answers.get(rsn);
      if (answer != null && answer.isEffective) {
        check(answer.isClosed || answer.failedByApp, "ended before its answer was " + rsn);
      }
      if (answer != null) {
        answer.state = State.DONE;
      }
      chaos(chaosP);
    }

    // ---- does what it owes

    void pay() {
      for (In in : new ArrayList<>(pushes.values())) {
        if (in.isRequest) {
          if (in.state == State.DELIVERED) {
            in.state = State.DONE;
            end.respond(in.rsn, in.tag, in.length);
          }
        } else if (in.state == State.LATER) {
          accept(in.rsn);
        } else if (in.state == State.DELIVERED) {
          acknowledge(in.rsn);
        }
        if (in.untaken > 0 && !(in.state == State.ACCEPTED && end.kept.contains(in.handle))) {
          end.solicitation.taken(in.rsn, in.untaken);
          in.untaken = 0;
        }
      }
      for (In in : new ArrayList<>(answers.values())) {
        if (in.untaken > 0) {
          if (in.state != State.ACCEPTED || !end.kept.contains(in.handle)) {
            end.solicitation.takenOfPull(in.rsn, in.untaken);
            in.untaken = 0;
          }
        }
      }
      for (long handle : new ArrayList<>(end.unready)) {
        end.solicitation.ready(handle);
      }
      end.unready.clear();
      end.slow = null;
    }

    void checkClosed() {
      for (In in : handles.values()) {
        check(
            in.isClosed || in.failedByApp,
            "left open: " + in.rsn + " " + in.state + (in.isAnswer ? " answer" : ""));
      }
      check(ended.size() == end.nextTag, "ended " + ended.size() + " of " + end.nextTag);
      for (long handle : end.sourceTags.keySet()) {
        check(end.releases.getOrDefault(handle, 0) == 1, "source not released");
      }
    }
  }

  private SplittableRandom random;
  private VerbPair pair;
  private boolean isOrdered;
  private boolean isCalm;
  private boolean isPumpedInside;
  private double chaosP;
  private int endInside;
  private Side left;
  private Side right;

  private void run(long seed) {
    random = new SplittableRandom(seed);
    isOrdered = random.nextInt(2) == 0;
    chaosP = new double[] {0.1, 0.4, 0.7}[random.nextInt(3)];
    isCalm = false;
    isPumpedInside = random.nextInt(2) == 0;
    endInside = random.nextInt(4) == 0 ? 300 : 0;
    long budget = random.nextInt(3) == 0 ? (1 << 20) + random.nextInt(1 << 20) : 64 << 20;
    pair = new VerbPair(random, isOrdered, budget, 1 + random.nextInt(64));
    left = new Side(pair.left, "left");
    right = new Side(pair.right, "right");
    pair.left.solicitation.wholeLengthMax(random.nextInt(3) * 600 - 1);
    pair.right.solicitation.wholeLengthMax(random.nextInt(3) * 600 - 1);
    try {
      int steps = 50 + random.nextInt(400);
      for (int i = 0; i < steps; i++) {
        step();
      }
      if (!left.isGone && !right.isGone) {
        calm();
      }
      for (Side side : new Side[] {left, right}) {
        side.isGone = true;
        side.end.transactions.endAll(5, "over");
        endInside = 0;
        chaosP = 0;
        side.end.drain();
        side.check(!side.end.poll(), "something after the drain");
        side.checkClosed();
      }
      check("tx in use", pair.resources.transactions().inUse());
      check("reorder", pair.resources.reorderTable().size());
      check("holding", pair.resources.holding().inUseBytes());
      check("counted", pair.budgets.solicitation().countedBytes());
      check("pull", pair.budgets.solicitation().pullBytes());
      check("stale", pair.budgets.solicitation().staleBytes());
    } catch (RuntimeException | Error e) {
      String logs =
          "LEFT\n" + String.join("\n", left.log) + "\nRIGHT\n" + String.join("\n", right.log);
      throw new AssertionError(
          "seed " + seed + (isOrdered ? ", ordered: " : ", unordered: ") + e + "\n" + logs, e);
    }
  }

  private static void check(String what, long is) {
    if (is != 0) {
      throw new AssertionError(what + " " + is);
    }
  }

  private void step() {
    Side side = random.nextBoolean() ? left : right;
    End end = side.end;
    pair.nowNs += random.nextInt(200_000);
    if (side.isGone) {
      return;
    }
    end.drain();
    if (side.isGone) {
      end.drain();
      return;
    }
    switch (random.nextInt(8)) {
      case 0 -> pair.pump(end);
      case 1, 2 -> {
        pair.arrive(end, 1 + random.nextInt(32), random.nextInt(3) == 0);
        side.chaos(0.2);
        end.drain();
        fine(end);
      }
      case 3 -> end.window.acknowledge(end.solicitation, pair.nowNs);
      case 4 -> {
        side.verb();
        if (random.nextBoolean()) {
          end.drain();
        }
      }
      case 5 -> side.submit();
      case 6 -> {
        for (long handle : new ArrayList<>(end.unready)) {
          end.unready.remove(handle);
          end.solicitation.ready(handle);
        }
      }
      default -> pair.timeouts(end);
    }
  }

  private void fine(End end) {
    if (end.solicitation.failure() != null) {
      throw new AssertionError("failure " + end.solicitation.failure());
    }
  }

  private void calm() {
    isCalm = true;
    chaosP = 0;
    endInside = 0;
    for (int quiet = 0, i = 0; quiet < 30; i++) {
      for (Side side : new Side[] {left, right}) {
        side.end.drain();
        side.pay();
        side.end.drain();
      }
      int moved = pair.exchange();
      quiet = moved == 0 ? quiet + 1 : 0;
      fine(pair.left);
      fine(pair.right);
      if (i > 20_000) {
        throw new AssertionError("never at rest");
      }
    }
    for (Side side : new Side[] {left, right}) {
      side.check(
          side.ended.size() == side.end.nextTag,
          "at rest with "
              + side.ended.size()
              + " ends of "
              + side.end.nextTag
              + " lowest "
              + side.end.transactions.findOwn(side.end.transactions.lowestUnended())
              + " at peer "
              + pair.other(side.end)
                  .transactions
                  .peers()
                  .find(side.end.transactions.lowestUnended()));
      side.check(
          side.end.transactions.peers().size() == 0,
          "peers left " + side.end.transactions.peers().size());
      check(side.name + " credit used", side.end.solicitation.creditUsedBytes());
      check(side.name + " budget held", side.end.solicitation.heldBytes());
      pair.timeouts(side.end);
      pair.pump(side.end);
      long d = side.end.solicitation.nextDeadlineNs();
      side.check(d > pair.nowNs, "a timer is due for ever");
    }
  }

  @Test
  void shouldHoldWhateverIsSaidWhenever() {
    for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
      run(seed);
    }
  }
}
