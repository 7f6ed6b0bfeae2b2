package io.rtransport.core.connection;

import io.rtransport.core.rail.LocalNi;
import io.rtransport.core.rail.NiError;
import io.rtransport.core.stats.Counters;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * What {@link Challenges} and its parts ask of their connection and tell it. {@link PeerPaths}
 * answers.
 */
interface ChallengingSide {
  /** Returns whether both sides send over several paths. */
  boolean hasRails();

  boolean isEstablished();

  /** Returns whether something has to come from the peer. */
  boolean isBusy();

  /** Returns whether an address that the peer has told may be challenged now. Counts it. */
  boolean mayChallengeTold(long nowNs);

  /** Returns whether a connection of this node may take another source port now. Counts it. */
  boolean mayTakePort(long nowNs);

  /** Returns the network interfaces of this side. */
  List<LocalNi> localNis();

  /** Returns what becomes of an address that the peer tells. */
  NidUse nidUse();

  /** Returns the number of an interface that nothing uses, for a told address; −1: none is left. */
  int freeNi();

  /** Returns the first open path. */
  OpenPath firstPath();

  /** Returns whether a path is open over {@code pair}. */
  boolean hasPath(Pair pair);

  /** Returns whether a path leads to {@code address}. */
  boolean hasRemote(InetSocketAddress address);

  long retransmissionTimeoutNs();

  Counters counters();

  RandomGenerator random();

  /** Returns a number that nobody can guess. */
  long drawSecret();

  /** Sends a PATH_CHALLENGE of {@code lengthBytes} to the pair with {@code pathIndex}. */
  void challenge(long data, int lengthBytes, int pathIndex, long nowNs);

  /**
   * Sends the PATH_RESPONSE to a challenge. It is never longer than that.
   *
   * @param pathId our id of the path, or {@link OpenPath#UNKNOWN_ID}
   * @return its bytes
   */
  int respond(ByteBuffer buffer, int offset, int length, int pathId, int pathIndex, long nowNs);

  /**
   * Returns the index of the path that the peer means by the path id of a response; −1: none. An id
   * of −1, of a peer without rails, means the only path.
   */
  int meant(int peersId);

  /**
   * Follows the peer to another pair: everything of path {@code index} goes there from now on.
   *
   * @param roundTripNs a round trip to there, approximately
   */
  void move(int index, Pair to, long roundTripNs, long nowNs);

  /**
   * Opens a path over a pair that has answered.
   *
   * @param counterpart the peer's id of its path over the pair, or {@link OpenPath#UNKNOWN_ID}
   * @return whether it is open; false if as many as allowed are, or all ids were used
   */
  boolean open(Pair pair, int counterpart, long nowNs);

  /** Notes what happened to a pair that is no path. */
  void onSetUpError(Pair pair, NiError error, long nowNs);
}
