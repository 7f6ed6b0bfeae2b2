package io.rtransport.core.solicitation;

import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.solicitation.VerbPair.End;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * One application of the verb fuzz: what it has been told, and the verbs that it uses at every
 * moment. What it is told is checked by {@link FuzzedEntries}.
 */
abstract class FuzzedVerbs {
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

  /** What a seed has drawn for both sides. */
  static final class Draw {
    final SplittableRandom random;
    final boolean isOrdered;
    final boolean isPumpedInside;
    boolean isCalm;
    double chaosP;
    int endInside;

    Draw(long seed) {
      random = new SplittableRandom(seed);
      isOrdered = random.nextInt(2) == 0;
      chaosP = new double[] {0.1, 0.4, 0.7}[random.nextInt(3)];
      isPumpedInside = random.nextInt(2) == 0;
      endInside = random.nextInt(4) == 0 ? 300 : 0;
    }
  }

  final Draw draw;
  final SplittableRandom random;
  final VerbPair pair;
  final End end;
  final String name;
  final Map<Long, In> pushes = new HashMap<>();
  final Map<Long, In> answers = new HashMap<>();
  final Map<Long, In> handles = new HashMap<>();
  final Map<Long, Boolean> ended = new HashMap<>();
  final ArrayDeque<String> log = new ArrayDeque<>();
  final List<Long> rsns = new ArrayList<>();
  long nextHandle = 1;
  boolean isGone;
  In openNow;

  FuzzedVerbs(Draw draw, VerbPair pair, End end, String name) {
    this.draw = draw;
    this.random = draw.random;
    this.pair = pair;
    this.end = end;
    this.name = name;
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
    switch (random.nextInt(draw.isPumpedInside ? 24 : 20)) {
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
        sol.sinks().failSink(rsn);
      }
      case 3 -> {
        long n = random.nextInt(3000);
        log("taken " + rsn + " " + n);
        sol.sinks().taken(rsn, n);
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
        sol.sinks().retryOpen(rsn);
      }
      case 8 -> {
        log("retryAll");
        sol.sinks().retryOpen();
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
        sol.sinks().failAnswerSink(rsn);
      }
      case 15 -> {
        long n = random.nextInt(3000);
        log("takenOfPull " + rsn + " " + n);
        sol.sinks().takenOfPull(rsn, n);
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
          !end.solicitation
              .sinks()
              .accept(rsn, in.handle, end.kept.contains(in.handle), end.untakenBytesMax(in.handle));
    } else {
      log("accept' " + rsn);
      check(
          !end.solicitation.sinks().accept(rsn, 999_999_999L, false, Long.MAX_VALUE),
          "accepted, and not asked for");
    }
  }

  void refuse(long rsn) {
    In in = pushes.get(rsn);
    log("refuse " + rsn);
    if (in != null && !in.isRequest && (in.state == State.ASKED || in.state == State.LATER)) {
      in.state = State.DEAD;
    }
    end.solicitation.sinks().refuse(rsn, 77, false);
  }

  void acceptAnswer(long rsn) {
    In in = answers.get(rsn);
    if (in != null && in.state == State.ASKED && openNow == in) {
      in.handle = handle(in);
      in.state = State.ACCEPTED;
      log("acceptAnswer " + rsn + " as " + in.handle);
      in.isClosed =
          !end.solicitation.sinks().acceptAnswer(rsn, in.handle, end.untakenBytesMax(in.handle));
    } else {
      log("acceptAnswer' " + rsn);
      check(
          !end.solicitation.sinks().acceptAnswer(rsn, 999_999_999L, Long.MAX_VALUE),
          "accepted, and not asked for");
    }
  }

  void refuseAnswer(long rsn) {
    In in = answers.get(rsn);
    log("refuseAnswer " + rsn);
    if (in != null && in.state == State.ASKED && openNow == in) {
      in.state = State.DEAD;
    }
    end.solicitation.sinks().refuseAnswer(rsn, 78, random.nextInt(3) == 0);
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
}
