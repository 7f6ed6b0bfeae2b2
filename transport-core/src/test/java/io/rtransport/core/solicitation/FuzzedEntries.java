package io.rtransport.core.solicitation;

import io.rtransport.core.solicitation.VerbPair.End;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.OutboxEntry.Kind;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Map;

/**
 * Checks what one application of the verb fuzz is told, entry by entry, and does in the end what it
 * owes.
 */
final class FuzzedEntries extends FuzzedVerbs {
  private long lastTag = -1;
  private long lastEnd = -1;

  FuzzedEntries(Draw draw, VerbPair pair, End end, String name) {
    super(draw, pair, end, name);
    end.consumer = this::on;
    end.slow = random;
  }

  void on(OutboxEntry e) {
    openNow = null;
    if (isGone) {
      check(
          e.kind() == Kind.SOURCE_RELEASED || e.kind() == Kind.DELIVERED || e.kind() == Kind.ENDED,
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
        chaos(draw.chaosP);
      }
      default -> throw new AssertionError();
    }
    if (!isGone && draw.endInside > 0 && random.nextInt(draw.endInside) == 0) {
      log("endAll inside");
      isGone = true;
      end.solicitation.endAll(5, "gone");
    }
  }

  void order(long tag) {
    if (draw.isOrdered) {
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
    check(e.headerLength() == 12 && e.buffer().getInt(e.headerOffset() + 8) == in.length, "header");
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
    chaos(draw.chaosP);
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
    chaos(draw.chaosP / 2);
    if (in.state == State.ASKED) {
      int manner = random.nextInt(10);
      if (manner < 6 || draw.isCalm) {
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
    chaos(draw.chaosP / 2);
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
        end.solicitation.sinks().takenOfPull(in.rsn, take);
      } else {
        end.solicitation.sinks().taken(in.rsn, take);
      }
    }
    in.untaken += to - from - take;
    chaos(draw.chaosP);
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
    chaos(draw.chaosP);
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
    chaos(draw.chaosP);
  }

  void onEnded(OutboxEntry e) {
    log("ENDED " + e.tag() + " " + e.outcome() + " " + e.code());
    check(e.count() == 1, e.count() + " ends of " + e.tag());
    check(ended.put(e.tag(), true) == null, "ended twice " + e.tag());
    if (draw.isOrdered) {
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
    chaos(draw.chaosP);
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
        end.solicitation.sinks().taken(in.rsn, in.untaken);
        in.untaken = 0;
      }
    }
    for (In in : new ArrayList<>(answers.values())) {
      if (in.untaken > 0) {
        if (in.state != State.ACCEPTED || !end.kept.contains(in.handle)) {
          end.solicitation.sinks().takenOfPull(in.rsn, in.untaken);
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
