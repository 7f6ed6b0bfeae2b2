package io.rtransport.core.connection;

import io.rtransport.core.connection.ConnectionTimers.Timer;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.time.Backoff;
import io.rtransport.core.transaction.OutboxEntry.Kind;
import io.rtransport.core.wire.ClearHeaderFlyweight;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.PathDataFlyweight;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * Address of a connection's peer. Decides when the connection believes that the peer has moved: a
 * translator on the way gave it a new port, or it is in another network.
 *
 * <pre>
 *   valid packet with our id and cookie from another address
 *                      ──▶ a candidate: PATH_CHALLENGE there, repeated
 *   PATH_RESPONSE with the challenge's number, from there
 *                      ──▶ the peer is there: everything goes there from now on
 *   no such answer for 3 s
 *                      ──▶ the candidate is forgotten
 * </pre>
 *
 * <p>Meanwhile the contents of such a packet are accepted, because the cookie proves its
 * connection. Before the answer only challenges go to the new address. They are at most three times
 * as many bytes as came from there. So neither a forged sender nor a replay can turn a connection
 * away from its peer, or aim it at a third party.
 */
final class PeerAddress {
  private static final long CANDIDATE_LIFETIME_NS = TimeUnit.SECONDS.toNanos(3);
  private static final int OLD_ADDRESS_RTOS = 3;

  /**
   * What an address is to this connection. A test prints the table of states and events in
   * docs/reference/protocol.md 9.3.
   */
  enum State {
    /** Not known. */
    UNKNOWN,
    /** Valid packets came from there. The connection is asking whether the peer is there. */
    CHALLENGED,
    /** The peer is there. */
    CURRENT,
    /** The peer was there shortly before. Packets from there may still be on their way. */
    FORMER
  }

  /** An address that the peer may have moved to. */
  private static final class Candidate {
    final InetSocketAddress address;
    final long data;
    final long bornNs;
    final Backoff backoff;
    long receivedBytes;
    long sentBytes;
    long dueNs;

    Candidate(InetSocketAddress address, long data, Backoff backoff, long bornNs) {
      this.address = address;
      this.data = data;
      this.backoff = backoff;
      this.bornNs = bornNs;
      this.dueNs = bornNs;
    }

    boolean hasAllowance() {
      return sentBytes + PathDataFlyweight.PACKET_LENGTH
          <= Limits.AMPLIFICATION_MAX * receivedBytes;
    }

    /** Returns when the candidate needs something: the next challenge, or its end. */
    long deadlineNs() {
      long endNs = bornNs + CANDIDATE_LIFETIME_NS;
      return hasAllowance() ? Math.min(dueNs, endNs) : endNs;
    }
  }

  private final Connection connection;
  private final Endpoint endpoint;
  private final RandomGenerator random;
  private final Counters counters;
  private InetSocketAddress current;
  private InetSocketAddress previous;
  private long previousUntilNs;
  private Candidate[] candidates;

  PeerAddress(
      Connection connection, Endpoint endpoint, RandomGenerator random, InetSocketAddress address) {
    this.connection = connection;
    this.endpoint = endpoint;
    this.random = random;
    this.counters = connection.counters();
    this.current = address;
  }

  /** Returns the address that the connection sends to. */
  InetSocketAddress current() {
    return current;
  }

  /**
   * Returns the destination of packets with {@code pathIndex}: 0 is the peer's address, other
   * indexes are candidates that are being challenged.
   */
  InetSocketAddress at(int pathIndex) {
    Candidate candidate = pathIndex == 0 ? null : candidates[pathIndex - 1];
    return candidate == null ? current : candidate.address;
  }

  /**
   * Handles a packet with this connection's id that came from another address than the peer's.
   *
   * @return whether the packet is valid for this connection, and so is to be taken
   */
  boolean onForeign(ByteBuffer buffer, int offset, int length, InetSocketAddress from, long nowNs) {
    boolean isSetUp = connection.agreed() != null;
    if (!isSetUp || connection.wire().check(buffer, offset, length) != null) {
      return false;
    }
    int type = new ClearHeaderFlyweight().wrap(buffer, offset).type();
    if (stateOf(from, nowNs) == State.FORMER) {
      return true;
    }
    int slot = slotOf(from, nowNs);
    if (slot < 0) {
      counters.increment(CounterId.PATH_CANDIDATES_REFUSED);
      return true;
    }
    Candidate candidate = candidates[slot];
    candidate.receivedBytes += length;
    if (type == PacketType.PATH_RESPONSE) {
      onResponse(slot, buffer.getLong(offset + PathDataFlyweight.DATA_OFFSET), nowNs);
    } else if (candidate.dueNs <= nowNs) {
      challenge(slot, nowNs);
    }
    rearm();
    return true;
  }

  /** Returns what {@code address} is to this connection now. */
  State stateOf(InetSocketAddress address, long nowNs) {
    if (address.equals(current)) {
      return State.CURRENT;
    }
    if (address.equals(previous) && nowNs < previousUntilNs) {
      return State.FORMER;
    }
    return candidates != null && indexOf(address) >= 0 ? State.CHALLENGED : State.UNKNOWN;
  }

  /**
   * Returns the slot of the candidate at {@code address}; for null the first free slot; −1: none.
   */
  private int indexOf(InetSocketAddress address) {
    for (int i = 0; i < candidates.length; i++) {
      if (Objects.equals(candidates[i] == null ? null : candidates[i].address, address)) {
        return i;
      }
    }
    return -1;
  }

  /**
   * Returns the slot of the candidate at an address, after adding one if needed; −1 if no slot is
   * free.
   */
  private int slotOf(InetSocketAddress address, long nowNs) {
    if (candidates == null) {
      candidates = new Candidate[Limits.PATH_CANDIDATES_MAX];
    }
    int known = indexOf(address);
    if (known >= 0) {
      return known;
    }
    int free = indexOf(null);
    if (free < 0) {
      free = oldestUnanswered(nowNs);
    }
    if (free >= 0) {
      Backoff backoff = new Backoff(random);
      candidates[free] = new Candidate(address, endpoint.drawSecret(), backoff, nowNs);
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
    if (nowNs - candidates[oldest].bornNs < connection.window().retransmissionTimeoutNs()) {
      return -1;
    }
    counters.increment(CounterId.PATH_CANDIDATES_EXPIRED);
    return oldest;
  }

  private void challenge(int slot, long nowNs) {
    Candidate candidate = candidates[slot];
    if (!candidate.hasAllowance()) {
      return;
    }
    candidate.dueNs = nowNs + candidate.backoff.nextDelayNs();
    candidate.sentBytes += PathDataFlyweight.PACKET_LENGTH;
    counters.increment(CounterId.PATH_CHALLENGES_SENT);
    int length =
        connection
            .packets()
            .pathData(
                PacketType.PATH_CHALLENGE,
                connection.peerCid(),
                connection.peerCookie(),
                candidate.data);
    connection.transmitControl(length, 1 + slot, nowNs);
  }

  private void onResponse(int slot, long data, long nowNs) {
    Candidate candidate = candidates[slot];
    if (candidate.sentBytes == 0 || (data ^ candidate.data) != 0) {
      counters.increment(CounterId.PATH_RESPONSES_REFUSED);
      return;
    }
    counters.increment(CounterId.PATHS_MOVED);
    candidates[slot] = null;
    boolean isOtherHost = !candidate.address.getAddress().equals(current.getAddress());
    previous = current;
    previousUntilNs = nowNs + OLD_ADDRESS_RTOS * connection.window().retransmissionTimeoutNs();
    endpoint.readdress(connection, () -> current = candidate.address);
    if (connection.isEstablished()) {
      // The time is too long if the first challenges were lost. This only makes us wait longer.
      connection.sublayers.onPathMoved(isOtherHost, nowNs - candidate.bornNs, nowNs);
      connection.window().forceAck(nowNs);
      connection.life().put(Kind.MOVED); // an ended connection has no more to tell
    }
  }

  /** Repeats challenges, and forgets candidates that never answered. */
  void onTimeout(long nowNs) {
    if (candidates == null || !connection.timers().expire(Timer.PATH, nowNs)) {
      return;
    }
    for (int i = 0; i < candidates.length; i++) {
      Candidate candidate = candidates[i];
      if (candidate == null) {
        continue;
      }
      if (nowNs - candidate.bornNs >= CANDIDATE_LIFETIME_NS) {
        candidates[i] = null;
        counters.increment(CounterId.PATH_CANDIDATES_EXPIRED);
      } else if (candidate.dueNs <= nowNs) {
        challenge(i, nowNs);
      }
    }
    rearm();
  }

  private void rearm() {
    long next = Long.MAX_VALUE;
    for (Candidate candidate : candidates) {
      next = candidate == null ? next : Math.min(next, candidate.deadlineNs());
    }
    connection.timers().set(Timer.PATH, next);
  }
}
