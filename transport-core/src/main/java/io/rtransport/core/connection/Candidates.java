package io.rtransport.core.connection;

import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.time.Backoff;
import io.rtransport.core.wire.PathDataFlyweight;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Pairs by which valid packets of the peer came although no path runs over them. The peer may have
 * moved, or opens a path. Each is challenged until it answers, for 3 s at the most. Before the
 * answer only challenges go there. They are at most three times as many bytes as came from there.
 * So neither a forged sender nor a replay can turn a connection away from its peer, or aim it at a
 * third party.
 */
final class Candidates {
  /** First path index of candidates. */
  static final int INDEX_FIRST = Limits.PATHS_MAX;

  private static final long LIFETIME_NS = TimeUnit.SECONDS.toNanos(3);
  private static final int NONE = -1;

  private static final class Candidate {
    final Pair pair;
    final long data;
    final long bornNs;
    final Backoff backoff;
    long receivedBytes;
    long sentBytes;
    long dueNs;

    boolean isAsked;

    /** Whether it receives there but had no path id to say. Its next packet is asked again. */
    boolean isAwaited;

    Candidate(Pair pair, long data, Backoff backoff, long bornNs) {
      this.pair = pair;
      this.data = data;
      this.backoff = backoff;
      this.bornNs = bornNs;
      this.dueNs = bornNs;
    }

    boolean hasAllowance(int lengthBytes) {
      return sentBytes + lengthBytes <= Limits.AMPLIFICATION_MAX * receivedBytes;
    }

    /** Returns when the candidate needs something: the next challenge, or its end. */
    long deadlineNs(int lengthBytes) {
      long endNs = bornNs + LIFETIME_NS;
      return hasAllowance(lengthBytes) ? Math.min(dueNs, endNs) : endNs;
    }

    /** Asks no more. It is kept until its end, so that packets from there change nothing. */
    void settle() {
      dueNs = bornNs + LIFETIME_NS;
    }
  }

  private final ChallengingSide side;
  private final Counters counters;
  private final Candidate[] candidates = new Candidate[Limits.PATH_CANDIDATES_MAX];

  Candidates(ChallengingSide side) {
    this.side = side;
    this.counters = side.counters();
  }

  /** Returns the pair of the candidate in {@code slot}, or null. */
  Pair pair(int slot) {
    return candidates[slot] == null ? null : candidates[slot].pair;
  }

  /** Returns the slot of the candidate at {@code pair}; for null the first free slot; −1: none. */
  int indexOf(Pair pair) {
    for (int i = 0; i < candidates.length; i++) {
      if (Objects.equals(pair(i), pair)) {
        return i;
      }
    }
    return NONE;
  }

  /**
   * Handles a valid packet by {@code pair}.
   *
   * @param length bytes of the packet
   * @param answered bytes that were sent to the pair in answer to it
   * @param response the packet, if it is a PATH_RESPONSE; else null
   */
  void onPacket(Pair pair, int length, int answered, PathDataFlyweight response, long nowNs) {
    int slot = slotOf(pair, nowNs);
    if (slot < 0) {
      counters.increment(CounterId.PATH_CANDIDATES_REFUSED);
      return;
    }
    Candidate candidate = candidates[slot];
    candidate.receivedBytes += length;
    candidate.sentBytes += answered;
    if (response != null) {
      onResponse(slot, response, length, nowNs);
    } else if (candidate.isAwaited || candidate.dueNs <= nowNs) {
      challenge(slot, nowNs);
    }
  }

  /**
   * Returns the slot of the candidate at a pair, after adding one if needed; −1: no slot is free.
   */
  private int slotOf(Pair pair, long nowNs) {
    int known = indexOf(pair);
    if (known >= 0) {
      return known;
    }
    int free = indexOf(null);
    if (free < 0) {
      free = oldestUnanswered(nowNs);
    }
    if (free >= 0) {
      Backoff backoff = new Backoff(side.random());
      candidates[free] = new Candidate(pair, side.drawSecret(), backoff, nowNs);
    }
    return free;
  }

  /**
   * Returns the slot of the oldest candidate if that had enough time to answer; −1 if not. Without
   * this, an attacker could replay packets from addresses that answer nothing. That would keep
   * every slot from the real peer until its connection is dead.
   */
  private int oldestUnanswered(long nowNs) {
    int oldest = 0;
    for (int i = 1; i < candidates.length; i++) {
      if (candidates[i].bornNs < candidates[oldest].bornNs) {
        oldest = i;
      }
    }
    if (nowNs - candidates[oldest].bornNs < side.retransmissionTimeoutNs()) {
      return NONE;
    }
    counters.increment(CounterId.PATH_CANDIDATES_EXPIRED);
    return oldest;
  }

  /** Returns the bytes of a challenge: between sides with rails it leaves room for a path id. */
  private int challengeLength() {
    return side.hasRails()
        ? PathDataFlyweight.RESPONSE_LENGTH_MAX
        : PathDataFlyweight.PACKET_LENGTH;
  }

  private void challenge(int slot, long nowNs) {
    Candidate candidate = candidates[slot];
    int length = challengeLength();
    if (candidate.hasAllowance(length)) {
      candidate.dueNs = nowNs + candidate.backoff.nextDelayNs();
      candidate.sentBytes += length;
      candidate.isAsked = true;
      candidate.isAwaited = false;
      side.challenge(candidate.data, length, INDEX_FIRST + slot, nowNs);
    }
  }

  private void onResponse(int slot, PathDataFlyweight response, int length, long nowNs) {
    Candidate candidate = candidates[slot];
    int id = response.pathIdOrNone(length);
    if (!candidate.isAsked || (response.data() ^ candidate.data) != 0) {
      counters.increment(CounterId.PATH_RESPONSES_REFUSED);
    } else if (side.hasRails() && id < 0) {
      counters.increment(CounterId.PATH_RESPONSES_REFUSED);
      candidate.isAwaited = true;
    } else {
      onAnswered(slot, id, nowNs);
    }
  }

  private void onAnswered(int slot, int id, long nowNs) {
    Candidate candidate = candidates[slot];
    // The time is too long if the first challenges were lost. This only makes us wait longer.
    long roundTripNs = nowNs - candidate.bornNs;
    int moved = side.meant(id);
    if (moved >= 0) {
      candidates[slot] = null;
      side.move(moved, candidate.pair, roundTripNs, nowNs);
    } else if (side.open(candidate.pair, id, nowNs)) {
      candidates[slot] = null;
    } else {
      candidate.settle();
    }
  }

  /** Repeats challenges, and forgets candidates that never answered. */
  void onTimeout(long nowNs) {
    for (int i = 0; i < candidates.length; i++) {
      Candidate candidate = candidates[i];
      if (candidate == null) {
        continue;
      }
      if (nowNs - candidate.bornNs >= LIFETIME_NS) {
        candidates[i] = null;
        counters.increment(CounterId.PATH_CANDIDATES_EXPIRED);
      } else if (candidate.dueNs <= nowNs) {
        challenge(i, nowNs);
      }
    }
  }

  long deadlineNs() {
    long next = Long.MAX_VALUE;
    for (Candidate candidate : candidates) {
      next = candidate == null ? next : Math.min(next, candidate.deadlineNs(challengeLength()));
    }
    return next;
  }
}
