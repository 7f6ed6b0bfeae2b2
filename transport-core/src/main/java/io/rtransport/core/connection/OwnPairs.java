package io.rtransport.core.connection;

import io.rtransport.core.rail.LocalNi;
import io.rtransport.core.rail.NiError;
import io.rtransport.core.rail.Nid;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.time.Backoff;
import io.rtransport.core.time.DeadlineWheel;
import io.rtransport.core.wire.PathDataFlyweight;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * Pairs that the initiator of a connection opens by itself. Each is challenged until it answers. A
 * pair that answers becomes a path, and leaves this list.
 *
 * <p>The application gives the addresses of some. Such a pair is challenged three times, and then
 * for as long as the connection has something to do: an interface that was dark at set-up joins
 * when it answers. The peer tells the addresses of others. It may name a third party. So at most
 * three challenges go to such an address without an answer, and the node bounds their rate.
 */
final class OwnPairs {
  /** Pairs that a connection opens at a time. */
  static final int PAIRS_MAX = 16;

  /** First path index of these pairs, behind those of candidates. */
  static final int INDEX_FIRST = Limits.PATHS_MAX + Limits.PATH_CANDIDATES_MAX;

  /** Challenges that a pair gets even if the connection has nothing to do. */
  private static final int IDLE_CHALLENGES_MAX = 3;

  private static final int LENGTH = PathDataFlyweight.CHALLENGE_LENGTH_MAX;

  private static final class OwnPair {
    final Pair pair;
    final boolean isTold;
    final long data;
    final Backoff backoff;
    int sentCount;
    long sentNs;
    long dueNs;

    /** Whether it was told that the pair does not answer. */
    boolean isToldSilent;

    OwnPair(Pair pair, boolean isTold, long data, Backoff backoff, long dueNs) {
      this.pair = pair;
      this.isTold = isTold;
      this.data = data;
      this.backoff = backoff;
      this.dueNs = dueNs;
    }
  }

  private final ChallengingSide side;
  private final ToldAddresses told = new ToldAddresses();
  private List<InetAddress> localAddresses = List.of();
  private final List<Nid> known = new ArrayList<>();
  private final OwnPair[] pairs = new OwnPair[PAIRS_MAX];
  private int count;
  private int lastVersion;

  /** Whether a pair waits until the connection has something to do. */
  private boolean isResting;

  OwnPairs(ChallengingSide side) {
    this.side = side;
  }

  /** Returns the pair in {@code slot}, or null. */
  Pair pair(int slot) {
    return pairs[slot] == null ? null : pairs[slot].pair;
  }

  /** Returns the slot of {@code pair}, or −1. */
  int indexOf(Pair pair) {
    for (int i = 0; count > 0 && i < PAIRS_MAX; i++) {
      if (pairs[i] != null && pairs[i].pair.equals(pair)) {
        return i;
      }
    }
    return -1;
  }

  int count() {
    return count;
  }

  /** Notes the addresses of our interfaces, by their indexes; null for one that is not known. */
  void localAddresses(List<InetAddress> addresses) {
    localAddresses = addresses;
  }

  /** Notes the address of one interface of ours. */
  void localAddress(int ni, InetAddress address) {
    List<InetAddress> all = new ArrayList<>(localAddresses);
    while (all.size() <= ni) {
      all.add(null);
    }
    all.set(ni, address);
    localAddresses = all;
  }

  /** Returns an interface of ours. A server may have more ports than are named; they are alike. */
  LocalNi localNi(int ni) {
    List<LocalNi> all = side.localNis();
    return all.get(Math.min(ni, all.size() - 1));
  }

  /** Returns the address of an interface of ours, or null. */
  InetAddress localAddress(int ni) {
    return ni < localAddresses.size() ? localAddresses.get(ni) : null;
  }

  /**
   * Adds a pair, unless it is there. It is challenged first at {@code dueNs}.
   *
   * @param isTold whether the peer has told the address
   * @return false if as many as allowed are there
   */
  boolean add(Pair pair, boolean isTold, long dueNs) {
    if (indexOf(pair) >= 0) {
      return true;
    }
    for (int i = 0; i < PAIRS_MAX; i++) {
      if (pairs[i] == null) {
        Backoff backoff = new Backoff(side.random());
        pairs[i] = new OwnPair(pair, isTold, side.drawSecret(), backoff, dueNs);
        count++;
        return true;
      }
    }
    return false;
  }

  /** Puts another pair into {@code slot}, to be opened later. Returns the one that was there. */
  Pair replace(int slot, Pair by) {
    Pair before = take(slot);
    add(by, false, DeadlineWheel.NONE);
    return before;
  }

  /** Removes the pair in {@code slot}, and returns it. */
  Pair take(int slot) {
    Pair pair = pairs[slot].pair;
    remove(slot);
    return pair;
  }

  /**
   * Takes a NID that the peer has told: its address is challenged from each of our interfaces on
   * its network. Returns false if it is not usable, or if as many as allowed are known.
   */
  boolean tell(Nid nid, long nowNs) {
    if (nid == null || !isUsable(nid)) {
      return false;
    }
    if (known.contains(nid)) {
      return true;
    }
    boolean isTaken = known.size() < Limits.NIDS_MAX;
    if (side.nidUse() == NidUse.FROM_NEW_INTERFACE) {
      isTaken = isTaken && (leadsTo(nid.address()) || ask(side.freeNi(), nid, nowNs));
    } else {
      List<LocalNi> ours = side.localNis();
      for (int ni = 0; isTaken && ni < ours.size(); ni++) {
        if (reaches(ours.get(ni), nid) && !side.hasPath(new Pair(ni, nid.address()))) {
          isTaken = ask(ni, nid, nowNs);
        }
      }
    }
    if (isTaken) {
      known.add(nid);
    }
    return isTaken;
  }

  /** Begins to challenge a told address from an interface. Returns false if that may not be. */
  private boolean ask(int ni, Nid nid, long nowNs) {
    return ni >= 0 && told.add(nid.address()) && add(new Pair(ni, nid.address()), true, nowNs);
  }

  /** Returns whether a path, or a pair that is being opened, leads to an address. */
  private boolean leadsTo(InetSocketAddress address) {
    boolean leadsTo = side.hasRemote(address);
    for (OwnPair own : pairs) {
      leadsTo |= own != null && own.pair.remote().equals(address);
    }
    return leadsTo;
  }

  /** Returns one bit for each interface that a pair has. */
  long nis() {
    long nis = 0;
    for (OwnPair own : pairs) {
      nis |= own == null ? 0 : 1L << own.pair.ni();
    }
    return nis;
  }

  /** Returns the addresses of the NIDs that the peer has told and that are usable. */
  List<InetSocketAddress> told() {
    return known.stream().map(Nid::address).toList();
  }

  /** Forgets a NID that the peer no longer has. Returns false if it is not known. */
  boolean untell(Nid nid) {
    if (nid == null || !known.remove(nid)) {
      return false;
    }
    for (int i = 0; i < PAIRS_MAX; i++) {
      if (pairs[i] != null && pairs[i].isTold && pairs[i].pair.remote().equals(nid.address())) {
        remove(i);
      }
    }
    return true;
  }

  /** Returns whether a change of the peer's interfaces follows the last one. Takes it if so. */
  boolean isNextVersion(int version) {
    boolean isNext = version == lastVersion + 1;
    lastVersion = isNext ? version : lastVersion;
    return isNext;
  }

  private boolean isUsable(Nid nid) {
    boolean isNear = side.firstPath().remote().getAddress().isLoopbackAddress();
    return side.nidUse() != NidUse.NONE
        && nid.isUnicast()
        && (isNear || !nid.address().getAddress().isLoopbackAddress())
        && side.localNis().stream().anyMatch(ours -> reaches(ours, nid));
  }

  /** Returns whether an interface of ours is on the network of {@code nid}, of the same family. */
  private boolean reaches(LocalNi ours, Nid nid) {
    InetSocketAddress like = ours.address() == null ? side.firstPath().remote() : ours.address();
    boolean isIpv4 = like.getAddress() instanceof Inet4Address;
    return ours.network().equals(nid.network())
        && isIpv4 == (nid.address().getAddress() instanceof Inet4Address);
  }

  private void remove(int slot) {
    pairs[slot] = null;
    count--;
  }

  /** The connection is established: all pairs are opened now. */
  void start(long nowNs) {
    for (OwnPair pair : pairs) {
      if (pair != null) {
        pair.dueNs = nowNs;
      }
    }
  }

  /** Handles a PATH_RESPONSE that came by the pair in {@code slot}. */
  void onResponse(int slot, PathDataFlyweight response, int length, long nowNs) {
    OwnPair own = pairs[slot];
    if (own.sentCount == 0 || (response.data() ^ own.data) != 0) {
      side.counters().increment(CounterId.PATH_RESPONSES_REFUSED);
      return;
    }
    told.onAnswer(own.pair.remote());
    // The id may be of another path: a peer may have one socket behind several addresses.
    int id = response.pathIdOrNone(length);
    boolean isNew = id >= 0 && side.meant(id) < 0;
    if (side.open(own.pair, isNew ? id : OpenPath.UNKNOWN_ID, nowNs)) {
      remove(slot);
    } else {
      own.dueNs = nowNs + own.backoff.nextDelayNs(); // a closed path may still hold its place
    }
  }

  /** Repeats challenges, and gives up what does not answer. */
  void onTimeout(long nowNs) {
    for (int i = 0; count > 0 && i < PAIRS_MAX; i++) {
      if (pairs[i] != null && pairs[i].dueNs <= nowNs) {
        onDue(i, nowNs);
      }
    }
  }

  private void onDue(int slot, long nowNs) {
    OwnPair own = pairs[slot];
    if (own.sentCount == IDLE_CHALLENGES_MAX && !own.isTold && !own.isToldSilent) {
      own.isToldSilent = true;
      side.onSetUpError(own.pair, NiError.PEER_NI_CONNECT_ERROR, nowNs);
    }
    if (own.isTold && !told.mayAsk(own.pair.remote())) {
      remove(slot);
      side.counters().increment(CounterId.PATH_CANDIDATES_EXPIRED);
    } else if (own.isTold && !side.mayChallengeTold(nowNs)) {
      own.dueNs = nowNs + own.backoff.nextDelayNs();
    } else if (own.sentCount >= IDLE_CHALLENGES_MAX && !side.isBusy()) {
      own.dueNs = DeadlineWheel.NONE;
      isResting = true;
    } else {
      challenge(slot, nowNs);
    }
  }

  private void challenge(int slot, long nowNs) {
    OwnPair own = pairs[slot];
    own.dueNs = nowNs + own.backoff.nextDelayNs();
    own.sentNs = nowNs;
    own.sentCount++;
    if (own.isTold) {
      told.onAsked(own.pair.remote());
    }
    side.challenge(own.data, LENGTH, INDEX_FIRST + slot, nowNs);
  }

  /**
   * Asks again at pairs that rest, if the connection has something to do now. Returns whether it
   * does.
   */
  boolean advance(long nowNs) {
    if (!isResting || !side.isBusy()) {
      return false;
    }
    isResting = false;
    for (OwnPair own : pairs) {
      if (own != null && own.dueNs == DeadlineWheel.NONE) {
        own.dueNs = Math.max(nowNs, own.sentNs + own.backoff.nextDelayNs());
      }
    }
    return true;
  }

  long deadlineNs() {
    long next = DeadlineWheel.NONE;
    for (OwnPair own : pairs) {
      next = own == null ? next : Math.min(next, own.dueNs);
    }
    return next;
  }
}
