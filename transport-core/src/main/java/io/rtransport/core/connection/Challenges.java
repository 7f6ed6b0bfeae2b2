package io.rtransport.core.connection;

import io.rtransport.core.rail.Nid;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.PathDataFlyweight;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Pairs without a path to which this side sends all the same: candidates and its own pairs, which
 * it challenges, and the sources of the peer's challenges, which it answers. Decides what a packet
 * by such a pair is for. Made when the first of them comes.
 *
 * <pre>
 *   valid packet with our id and cookie by a pair without a path
 *                      ──▶ a candidate: PATH_CHALLENGE there ({@link Candidates})
 *   a pair that the initiator opens by itself
 *                      ──▶ PATH_CHALLENGE there ({@link OwnPairs})
 *   PATH_RESPONSE with the challenge's number, from there
 *                      ──▶ the path that it names has moved there, or a new path is open
 * </pre>
 *
 * <p>The contents of a packet by such a pair are accepted, because the cookie proves its
 * connection. Before the answer only challenges, and responses to the peer's, go there.
 */
final class Challenges {
  private static final int SOURCE_FIRST = OwnPairs.INDEX_FIRST + OwnPairs.PAIRS_MAX;

  /** Sources of challenges that are answered in one turn. More are not answered. */
  private static final int SOURCES_MAX = 4;

  private final ChallengingSide side;
  private final Candidates candidates;
  private final OwnPairs own;
  private final Pair[] sources = new Pair[SOURCES_MAX];
  private int sourceCount;
  private PortChanges ports; // null until this side wants another source port

  /** Interfaces of ours that are given up, a bit for each below 64. */
  private long leftNis;

  /** Addresses that the peer has given up. */
  private final Deque<InetSocketAddress> leftRemotes = new ArrayDeque<>();

  Challenges(ChallengingSide side) {
    this.side = side;
    this.candidates = new Candidates(side);
    this.own = new OwnPairs(side);
  }

  OwnPairs own() {
    return own;
  }

  /** Returns the changes of this side's source port; null: it never wanted another one. */
  PortChanges ports() {
    return ports;
  }

  /** Returns them, and makes them if needed. */
  PortChanges portsMade() {
    ports = ports == null ? new PortChanges(side) : ports;
    return ports;
  }

  /** The connection is established: the pairs of its own that were not answered are opened. */
  void start(long nowNs) {
    if (ports == null) {
      own.start(nowNs);
    } else {
      ports.onSetUp(own.take(0), nowNs); // that pair differs in our port only
    }
  }

  /** Returns one bit for each interface of an initiator that a pair or a former port has. */
  long nis() {
    return ports == null ? own.nis() : own.nis() | ports.nis();
  }

  /**
   * Takes a change of the peer's interfaces, if its version follows the last one's and the NID is
   * usable. Returns whether it is taken.
   */
  boolean change(boolean isAdded, int version, Nid nid, long nowNs) {
    boolean isNext = own.isNextVersion(version);
    boolean isTaken = isNext && (isAdded ? own.tell(nid, nowNs) : own.untell(nid));
    if (isTaken && isAdded) {
      enter(nid.address());
    }
    return isTaken;
  }

  /** Notes that this side gives an interface up: no path is opened there any more. */
  void leave(int ni) {
    leftNis |= ni < Long.SIZE ? 1L << ni : 0;
  }

  /** Notes that this side has an interface again. */
  void enter(int ni) {
    leftNis &= ni < Long.SIZE ? ~(1L << ni) : -1;
  }

  /** Notes that the peer has given an address up: no path is opened there, unless told again. */
  void leave(InetSocketAddress remote) {
    if (leftRemotes.size() == Limits.NIDS_MAX) {
      leftRemotes.remove();
    }
    leftRemotes.add(remote);
  }

  /** Notes that the peer has an address again. */
  private void enter(InetSocketAddress remote) {
    leftRemotes.remove(remote);
  }

  /** Returns whether one end of a pair is given up. What is on its way there opens no path. */
  private boolean isLeft(Pair pair) {
    boolean isOurs = pair.ni() < Long.SIZE && (leftNis >>> pair.ni() & 1) != 0;
    return isOurs || leftRemotes.contains(pair.remote());
  }

  /** Returns where packets with {@code pathIndex} go; null: nowhere any more. */
  Pair pair(int pathIndex) {
    if (pathIndex >= SOURCE_FIRST) {
      return sources[pathIndex - SOURCE_FIRST];
    }
    return pathIndex >= OwnPairs.INDEX_FIRST
        ? own.pair(pathIndex - OwnPairs.INDEX_FIRST)
        : candidates.pair(pathIndex - Candidates.INDEX_FIRST);
  }

  PairState stateOf(Pair pair) {
    if (own.indexOf(pair) >= 0) {
      return PairState.OPENING;
    }
    return candidates.indexOf(pair) >= 0 ? PairState.CHALLENGED : PairState.UNKNOWN;
  }

  /**
   * Handles a valid packet by a pair that is no path.
   *
   * @param isFormer whether a path was over the pair shortly before. Then the packet is late
   * @return whether the deadline may have changed
   */
  boolean onPacket(
      int type,
      ByteBuffer buffer,
      int offset,
      int length,
      Pair pair,
      boolean isFormer,
      long nowNs) {
    boolean isChallenge = type == PacketType.PATH_CHALLENGE && side.hasRails();
    int answered = isChallenge ? answer(buffer, offset, length, pair, nowNs) : 0;
    if (isFormer && ports != null) {
      ports.onFormer();
    }
    if (isFormer || isLeft(pair)) {
      return false;
    }
    boolean isResponse = type == PacketType.PATH_RESPONSE;
    PathDataFlyweight response = isResponse ? new PathDataFlyweight().wrap(buffer, offset) : null;
    int ownIndex = own.indexOf(pair);
    if (ownIndex < 0) {
      candidates.onPacket(pair, length, answered, response, nowNs);
    } else if (isResponse) {
      own.onResponse(ownIndex, response, length, nowNs);
    }
    return true;
  }

  /**
   * Answers a challenge. The response goes back where the challenge came from: it is no longer, so
   * no address gets more than it has sent.
   *
   * @return bytes of the response; 0: none was sent
   */
  private int answer(ByteBuffer buffer, int offset, int length, Pair source, long nowNs) {
    if (!side.isEstablished()) {
      return 0;
    }
    if (sourceCount == SOURCES_MAX) {
      side.counters().increment(CounterId.CONTROL_DROPPED);
      return 0;
    }
    sources[sourceCount] = source;
    int pathIndex = SOURCE_FIRST + sourceCount++;
    return side.respond(buffer, offset, length, OpenPath.UNKNOWN_ID, pathIndex, nowNs);
  }

  void onTimeout(long nowNs) {
    candidates.onTimeout(nowNs);
    own.onTimeout(nowNs);
    if (ports != null) {
      ports.onTimeout(nowNs);
    }
  }

  void onTransmitted() {
    sourceCount = 0;
  }

  long deadlineNs() {
    long pairsNs = Math.min(candidates.deadlineNs(), own.deadlineNs());
    return ports == null ? pairsNs : Math.min(pairsNs, ports.deadlineNs());
  }
}
