package io.rtransport.core.connection;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.connection.ConnectionTimers.Timer;
import io.rtransport.core.outcome.SendFailure;
import io.rtransport.core.rail.LocalNi;
import io.rtransport.core.rail.NiError;
import io.rtransport.core.rail.Nid;
import io.rtransport.core.rail.PairHealth;
import io.rtransport.core.rail.RailHealth;
import io.rtransport.core.solicitation.PeerNis;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.time.DeadlineWheel;
import io.rtransport.core.transaction.OutboxEntry.Kind;
import io.rtransport.core.wire.ClearHeaderFlyweight;
import io.rtransport.core.wire.PathDataFlyweight;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * The paths of a connection: pairs of our interfaces and the peer's addresses on which this side
 * sends. Decides by which path a packet came, and what follows when a path is opened, has moved or
 * is closed. {@link Challenges} decides when.
 *
 * <p>A packet that leaves has a path index: an open path, a candidate, a pair that is being opened,
 * or the source of a challenge that is answered. {@link #remote(int)} and {@link #ni(int)} say
 * where it goes.
 *
 * <p>A connection with one path has this object alone: it is the path with index 0 itself.
 */
final class PeerPaths extends OpenPaths implements ChallengingSide, PeerNis {
  /** Answer of {@link #arrival}: the packet is not to be taken. */
  static final int REFUSED = -2;

  private final Connection connection;
  private Challenges challenges; // null while nothing is challenged
  private NidUse nidUse = NidUse.FROM_EACH_INTERFACE;
  private byte givenNis;
  private boolean mayTakePorts;

  PeerPaths(Connection connection, Pair first) {
    super(first);
    this.connection = connection;
  }

  /** Returns the index of the path for packets without a rule of their own. */
  int best() {
    return isSingle() ? 0 : openOr(connection.sublayers.bestPath(), first());
  }

  /**
   * Returns the index of the path for the {@code repetition}-th sending of a packet, from 0: the
   * best path first, then the other open ones in turn.
   */
  int inTurn(int repetition) {
    return nth(repetition, best());
  }

  /** Returns the destination of packets with {@code pathIndex}. */
  InetSocketAddress remote(int pathIndex) {
    Pair elsewhere = elsewhere(pathIndex);
    return elsewhere == null ? path(openOr(pathIndex, first())).remote() : elsewhere.remote();
  }

  /** Returns the interface that packets with {@code pathIndex} leave by. */
  int ni(int pathIndex) {
    Pair elsewhere = elsewhere(pathIndex);
    return elsewhere == null ? path(openOr(pathIndex, first())).ni() : elsewhere.ni();
  }

  /** Returns the pair of an index that is no open path's; null if it is none. */
  private Pair elsewhere(int pathIndex) {
    return pathIndex < PATHS_MAX || challenges == null ? null : challenges.pair(pathIndex);
  }

  /** Returns what an address is to this connection now. */
  PairState stateOf(int by, InetSocketAddress from, long nowNs) {
    if (indexOf(by, from) >= 0) {
      return PairState.CURRENT;
    }
    if (wasPath(by, from, nowNs)) {
      return PairState.FORMER;
    }
    return challenges == null ? PairState.UNKNOWN : challenges.stateOf(new Pair(by, from));
  }

  // ---- packets that come in

  /**
   * Returns the index of the open path that a packet with this connection's id came by, or {@link
   * PacketBurst#NO_PATH}. {@link #REFUSED}: it came by no open path and is not valid.
   */
  int arrival(ByteBuffer buffer, int offset, int length, int by, InetSocketAddress from, long now) {
    if (from == null) {
      return first();
    }
    int index = indexOf(by, from);
    return index >= 0 || onForeign(buffer, offset, length, by, from, now) ? index : REFUSED;
  }

  private boolean onForeign(
      ByteBuffer buffer, int offset, int length, int by, InetSocketAddress from, long nowNs) {
    Pair pair = new Pair(by, from);
    boolean isSetUp = connection.agreed() != null;
    boolean isKnown = isSetUp || challenges != null && challenges.own().indexOf(pair) >= 0;
    if (!isKnown || connection.wire().check(buffer, offset, length) != null) {
      return false;
    }
    int type = new ClearHeaderFlyweight().wrap(buffer, offset).type();
    if (!isSetUp) {
      ClientHandshake handshake = connection.clientHandshake(); // null once it has failed
      return handshake != null && handshake.onElsewhere(pair, type, buffer, offset, nowNs);
    }
    boolean isFormer = wasPath(by, from, nowNs);
    if (challenges().onPacket(type, buffer, offset, length, pair, isFormer, nowNs)) {
      rearm();
    }
    return true;
  }

  private Challenges challenges() {
    if (challenges == null) {
      challenges = new Challenges(this);
    }
    return challenges;
  }

  /** Writes the PATH_RESPONSE to a challenge that came by an open path. */
  void answer(ByteBuffer buffer, int offset, int length, int arrival, long nowNs) {
    int index = openOr(arrival, best());
    respond(buffer, offset, length, path(index).id(), index, nowNs);
  }

  @Override
  public int respond(
      ByteBuffer buffer, int offset, int length, int pathId, int pathIndex, long nowNs) {
    boolean hasId = connection.hasRails() && length >= PathDataFlyweight.RESPONSE_LENGTH_MAX;
    long data = new PathDataFlyweight().wrap(buffer, offset).data();
    int cid = connection.peerCid();
    long cookie = connection.peerCookie();
    int answerLength = connection.packets().pathResponse(cid, cookie, data, hasId, pathId);
    connection.transmitControl(answerLength, pathIndex, nowNs);
    return answerLength;
  }

  // ---- what challenges decide

  @Override
  public void move(int index, Pair to, long roundTripNs, long nowNs) {
    connection.counters().increment(CounterId.PATHS_MOVED);
    OpenPath path = path(index);
    InetSocketAddress old = path.remote();
    boolean isOtherHost = !to.remote().getAddress().equals(old.getAddress());
    path.move(to, nowNs + LATE_RTOS * retransmissionTimeoutNs());
    connection.endpoint().readdress(connection, old, to.remote());
    if (connection.isEstablished()) {
      connection.sublayers.onPathMoved(index, isOtherHost, roundTripNs, nowNs);
      if (health(index) != null) {
        watch(index);
      }
      connection.window().forceAck(nowNs);
      connection.life().put(Kind.MOVED); // an ended connection has no more to tell
    }
  }

  @Override
  public boolean open(Pair pair, int counterpart, long nowNs) {
    int index =
        connection.isEstablished()
            ? add(pair, counterpart, connection.sublayers.heldPaths())
            : PacketBurst.NO_PATH;
    if (index < 0) {
      connection.counters().increment(CounterId.PATHS_REFUSED);
      return false;
    }
    connection.counters().increment(CounterId.PATHS_OPENED);
    connection.life().put(Kind.PEER_CHANGED);
    connection.endpoint().readdress(connection, null, pair.remote());
    connection.sublayers.openPath(index, path(index).id(), nowNs);
    for (int i = first(); i < PATHS_MAX; i++) {
      if (isOpen(i) && health(i) == null) {
        watch(i);
      }
    }
    return true;
  }

  private PathHealth pathHealth() {
    RailHealth rail = connection.endpoint().railHealth();
    return new PathHealth(rail, challenges().own(), connection.peerIncarnation());
  }

  private void watch(int index) {
    pathHealth().watch(this, index);
    connection.sublayers.health(index, health(index));
  }

  @Override
  public void onSetUpError(Pair pair, NiError error, long nowNs) {
    pathHealth().onSetUpError(pair, error, nowNs);
  }

  /** Notes that the system did not send a packet of a path. With one path nothing follows. */
  void onSendFailed(int index, SendFailure failure, long nowNs) {
    PairHealth health = health(index);
    if (health != null && PathHealth.onSendFailed(health, failure)) {
      connection.sublayers.onPathReported(index, nowNs);
    } else if (health != null) {
      connection.sublayers.onPathRefused(index, nowNs);
    }
  }

  /** Closes the paths over an interface of ours. The last open one stays. */
  void closeBy(int ni, long nowNs) {
    for (int i = first(); i < PATHS_MAX; i++) {
      if (isOpen(i) && path(i).ni() == ni) {
        close(i, nowNs);
      }
    }
    if (!hasNi(ni) && !connection.isInitiator()) { // an initiator gives the number to another one
      challenges().leave(ni);
    }
  }

  /** An interface of ours that was gone is there again. */
  void enter(int ni) {
    if (challenges != null) {
      challenges.enter(ni);
    }
  }

  /** Closes a path. The last open one stays. */
  void close(int index, long nowNs) {
    if (!isOpen(index) || Integer.bitCount(openMask()) == 1) {
      return;
    }
    InetSocketAddress old = remove(index);
    health(index, null);
    connection.counters().increment(CounterId.PATHS_CLOSED);
    connection.endpoint().readdress(connection, old, null);
    connection.sublayers.closePath(index, nowNs);
  }

  // ---- pairs that this side opens by itself

  /** Notes the addresses of our interfaces, by their indexes; null for one that is not known. */
  void localAddresses(List<InetAddress> addresses) {
    challenges().own().localAddresses(addresses);
  }

  /** Notes the address of one interface of ours. */
  void localAddress(int ni, InetAddress address) {
    challenges().own().localAddress(ni, address);
  }

  /**
   * Sets what becomes of the addresses that the peer tells.
   *
   * @param given number of interfaces that the application has named
   */
  void nidUse(NidUse use, int given) {
    nidUse = use;
    givenNis = (byte) given;
  }

  @Override
  public NidUse nidUse() {
    return nidUse;
  }

  @Override
  public int freeNi() {
    int free = Long.numberOfTrailingZeros(~nis() & -1L << givenNis);
    return free < Limits.LOCAL_NIS_MAX ? free : -1;
  }

  /** Returns one bit for each interface of an initiator that a path or a pair of its own has. */
  long nis() {
    return challenges == null ? openNis() : openNis() | challenges.nis();
  }

  /** Adds a pair that the application has given. It is opened when the connection is set up. */
  void give(Pair pair) {
    if (!isAt(pair.ni(), pair.remote())) {
      challenges().own().add(pair, false, DeadlineWheel.NONE);
    }
  }

  /** Returns the pairs beside the first over which the handshake sends CONNECT; null: none. */
  OwnPairs ownPairs() {
    return challenges == null ? null : challenges.own();
  }

  /**
   * Returns whether the application has given several pairs. If not, a pair beside the first
   * differs from it in our port only.
   */
  boolean hasSeveralGiven() {
    return givenNis > 1;
  }

  /** The target has answered over the pair in {@code slot}: it and the first change places. */
  void confirm(int slot) {
    pair(challenges.own().replace(slot, new Pair(ni(), remote())));
  }

  /** The connection is established: the other pairs are opened, if the peer knows rails. */
  void start(long nowNs) {
    if (challenges != null && (challenges.ports() != null || connection.hasRails())) {
      challenges.start(nowNs);
      rearm();
    } else {
      challenges = null;
    }
  }

  /** Takes the NIDs that the peer has told. Those that are not usable are counted. */
  void tell(List<Nid> nids, long nowNs) {
    if (connection.hasRails() && !nids.isEmpty()) { // an ACCEPT may have NIDS without any
      nids.forEach(nid -> onTold(challenges().own().tell(nid, nowNs)));
      rearm();
    }
  }

  /**
   * Takes a change of the peer's interfaces. Only the initiator does: it alone opens pairs by
   * itself. A version that does not follow the last one is not taken.
   */
  @Override
  public void onChange(boolean isAdded, int version, String text, long nowNs) {
    Nid nid = Nid.parse(text);
    boolean isTaken = false;
    if (connection.isInitiator()) {
      isTaken = challenges().change(isAdded, version, nid, nowNs);
      rearm();
    }
    onTold(isTaken);
    if (isTaken && !isAdded) {
      closeTo(nid, nowNs);
    }
  }

  private void onTold(boolean isTaken) {
    if (isTaken) {
      connection.life().put(Kind.PEER_CHANGED);
    } else {
      connection.counters().increment(CounterId.NIDS_REFUSED);
    }
  }

  /** Returns the usable addresses that the peer has told and not taken back. */
  List<InetSocketAddress> told() {
    return challenges == null ? List.of() : challenges.own().told();
  }

  /** Closes the paths to an interface that the peer no longer has, but never the last path. */
  private void closeTo(Nid nid, long nowNs) {
    for (int i = first(); i < PATHS_MAX; i++) {
      if (isOpen(i)
          && path(i).remote().equals(nid.address())
          && challenges.own().localNi(path(i).ni()).network().equals(nid.network())) {
        close(i, nowNs);
      }
    }
    if (!hasRemote(nid.address())) {
      challenges.leave(nid.address());
    }
  }

  // ---- source ports of an initiator with one path; PortChanges decides

  /** Lets the driver open a socket for each new number of an interface, and this side use that. */
  void allowNewPorts() {
    mayTakePorts = connection.isInitiator(); // a target's port is known to its peers
  }

  /** CONNECT was not answered: it goes by one more port of ours too from now on, if it may. */
  void askByNewPort(long nowNs) {
    boolean isAlone = challenges == null || challenges.own().count() == 0;
    if (mayTakePorts && isAlone && mayTakePort(nowNs)) {
      give(new Pair(freeNi(), remote()));
      challenges.portsMade().onAsked(nowNs);
    }
  }

  /**
   * Notes that nothing gets through from our source port, as it seems. Nothing follows where the
   * driver opens no further sockets, or where there are several paths.
   */
  void onPortDoubted(long nowNs) {
    boolean mayChange = mayTakePorts && Integer.bitCount(openMask()) == 1;
    if (mayChange && challenges().portsMade().onDoubted(nowNs)) {
      connection.life().put(Kind.PORT_CHANGED);
      rearm();
    }
  }

  /** The driver cannot open the socket of the only path: it goes on by its former one, if any. */
  void onPortRefused(long nowNs) {
    PortChanges ports = challenges == null ? null : challenges.ports();
    if (connection.isEstablished() && ports != null && ports.onRefused(nowNs)) {
      rearm();
    }
  }

  // ---- time

  /** Repeats challenges, and forgets candidates that never answered. */
  void onTimeout(long nowNs) {
    if (challenges != null && connection.timers().expire(Timer.PATH, nowNs)) {
      challenges.onTimeout(nowNs);
      rearm();
    }
  }

  /** Goes on opening pairs when the connection has something to do. Called after each turn. */
  void advance(long nowNs) {
    if (challenges != null && challenges.own().advance(nowNs)) {
      rearm();
    }
  }

  /** Everything that was to be transmitted was. */
  void onTransmitted() {
    if (challenges != null) {
      challenges.onTransmitted();
    }
  }

  private void rearm() {
    connection.timers().set(Timer.PATH, challenges.deadlineNs());
  }

  // ---- what challenges ask

  @Override
  public void challenge(long data, int lengthBytes, int pathIndex, long nowNs) {
    connection.counters().increment(CounterId.PATH_CHALLENGES_SENT);
    int cid = connection.peerCid();
    long cookie = connection.peerCookie();
    int length = connection.packets().pathChallenge(cid, cookie, data, lengthBytes);
    connection.transmitControl(length, pathIndex, nowNs);
  }

  @Override
  public boolean hasRails() {
    return connection.hasRails();
  }

  @Override
  public boolean isEstablished() {
    return connection.isEstablished();
  }

  @Override
  public boolean isBusy() {
    return connection.liveness().isWaiting();
  }

  @Override
  public boolean mayChallengeTold(long nowNs) {
    return connection.endpoint().mayChallengeTold(nowNs);
  }

  @Override
  public boolean mayTakePort(long nowNs) {
    return connection.endpoint().mayTakePort(nowNs);
  }

  @Override
  public List<LocalNi> localNis() {
    return connection.endpoint().localNis();
  }

  @Override
  public long retransmissionTimeoutNs() {
    return connection.window().retransmissionTimeoutNs();
  }

  @Override
  public Counters counters() {
    return connection.counters();
  }

  @Override
  public RandomGenerator random() {
    return connection.random();
  }

  @Override
  public long drawSecret() {
    return connection.endpoint().drawSecret();
  }
}
