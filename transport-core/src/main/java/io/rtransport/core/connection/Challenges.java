package io.rtransport.core.connection;

import io.rtransport.core.connection.ConnectionTimers.Timer;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.PathDataFlyweight;
import java.nio.ByteBuffer;

/**
 * Pairs without a path to which this side sends all the same: candidates and its own pairs, which
 * it challenges, and the sources of the peer's challenges, which it answers. Made when the first of
 * them comes.
 */
final class Challenges {
  /** First path index of pairs that this side opens by itself. */
  static final int OWN_FIRST = PeerPaths.CANDIDATE_FIRST + Limits.PATH_CANDIDATES_MAX;

  private static final int SOURCE_FIRST = OWN_FIRST + OwnPairs.PAIRS_MAX;

  /** Sources of challenges that are answered in one turn. More are not answered. */
  private static final int SOURCES_MAX = 4;

  private final Connection connection;
  private final PeerPaths paths;
  private final Candidates candidates;
  private final OwnPairs own;
  private final Pair[] sources = new Pair[SOURCES_MAX];
  private int sourceCount;

  Challenges(Connection connection, PeerPaths paths) {
    this.connection = connection;
    this.paths = paths;
    this.candidates = new Candidates(connection, paths);
    this.own = new OwnPairs(connection, paths);
  }

  OwnPairs own() {
    return own;
  }

  /** Returns where packets with {@code pathIndex} go; null: nowhere any more. */
  Pair pair(int pathIndex) {
    if (pathIndex >= SOURCE_FIRST) {
      return sources[pathIndex - SOURCE_FIRST];
    }
    return pathIndex >= OWN_FIRST
        ? own.pair(pathIndex - OWN_FIRST)
        : candidates.pair(pathIndex - PeerPaths.CANDIDATE_FIRST);
  }

  PeerPaths.State stateOf(Pair pair) {
    if (own.indexOf(pair) >= 0) {
      return PeerPaths.State.OPENING;
    }
    return candidates.indexOf(pair) >= 0 ? PeerPaths.State.CHALLENGED : PeerPaths.State.UNKNOWN;
  }

  /**
   * Answers a challenge that came by no open path. The response goes back where the challenge came
   * from: it is no longer, so no address gets more than it has sent.
   *
   * @return bytes of the response; 0: none was sent
   */
  int answer(ByteBuffer buffer, int offset, int length, Pair source, long nowNs) {
    if (!connection.isEstablished()) {
      return 0;
    }
    if (sourceCount == SOURCES_MAX) {
      connection.counters().increment(CounterId.CONTROL_DROPPED);
      return 0;
    }
    sources[sourceCount] = source;
    int pathIndex = SOURCE_FIRST + sourceCount++;
    return paths.transmitResponse(buffer, offset, length, OpenPath.UNKNOWN_ID, pathIndex, nowNs);
  }

  /**
   * Handles a valid packet by a pair that is no path and was none.
   *
   * @param answered bytes that were sent to the pair in answer to it
   */
  void onPacket(
      int type, ByteBuffer buffer, int offset, int length, int answered, Pair pair, long nowNs) {
    boolean isResponse = type == PacketType.PATH_RESPONSE;
    PathDataFlyweight response = isResponse ? new PathDataFlyweight().wrap(buffer, offset) : null;
    int ownIndex = own.indexOf(pair);
    if (ownIndex < 0) {
      candidates.onPacket(pair, length, answered, response, nowNs);
    } else if (isResponse) {
      own.onResponse(ownIndex, response, length, nowNs);
    }
    rearm();
  }

  void onTimeout(long nowNs) {
    if (connection.timers().expire(Timer.PATH, nowNs)) {
      candidates.onTimeout(nowNs);
      own.onTimeout(nowNs);
      rearm();
    }
  }

  void advance(long nowNs) {
    if (own.advance(nowNs)) {
      rearm();
    }
  }

  void onTransmitted() {
    sourceCount = 0;
  }

  /** Sets the timer. */
  void rearm() {
    connection.timers().set(Timer.PATH, Math.min(candidates.deadlineNs(), own.deadlineNs()));
  }

  /**
   * Sends a PATH_CHALLENGE.
   *
   * @param place place of its pair among all candidates, or, from {@link
   *     Limits#PATH_CANDIDATES_MAX} on, among this side's own pairs
   */
  static void transmit(Connection connection, long data, int lengthBytes, int place, long nowNs) {
    connection.counters().increment(CounterId.PATH_CHALLENGES_SENT);
    int length =
        connection
            .packets()
            .pathChallenge(connection.peerCid(), connection.peerCookie(), data, lengthBytes);
    connection.transmitControl(length, PeerPaths.CANDIDATE_FIRST + place, nowNs);
  }
}
