package io.rtransport.core.connection;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.parameter.AgreedParameters;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.parameter.InitialNumbers;
import io.rtransport.core.rail.LocalNi;
import io.rtransport.core.rail.RailHealth;
import io.rtransport.core.solicitation.NodeBudgets;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.time.DeadlineWheel;
import io.rtransport.core.wire.ClearHeaderFlyweight;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.PacketValidator;
import io.rtransport.core.wire.ResetFlyweight;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.random.RandomGenerator;

/**
 * One event loop's end of all its connections: gives ids, routes datagrams to their connections,
 * answers strangers, and knows the next deadline. {@link ServerHandshake} handles CONNECTs.
 *
 * <p>Loop-confined. Datagrams of strangers cause no exception: they are dropped and counted. The
 * answer to a stranger's packet is at most three times as long as that packet.
 */
public final class Endpoint {
  /**
   * Delay after which a connection whose packets may lie unread is checked again: one read batch.
   */
  static final long LOOK_AGAIN_NS = 100_000;

  private static final int ANSWERS_PER_SECOND = 1_000;
  private static final int ANSWERS_BURST = 100;

  private final LoopResources loop;
  private final NodeBudgets budgets;
  private final RandomGenerator secrets;
  private final Counters counters;
  private long incarnation;
  private final CidTable<Object> cids;
  private final PeerTable<Connection> peers;
  private final ControlStage controlStage = new ControlStage();
  private final Queue<Connection> woken = new ConcurrentLinkedQueue<>();
  private final Runnable waker;
  private final DeadlineWheel deadlines = new DeadlineWheel();
  private final ServerHandshake serverHandshake;
  private final RateLimiter answers = new RateLimiter(ANSWERS_PER_SECOND, ANSWERS_BURST);
  private final RateLimiter toldChallenges =
      new RateLimiter(Limits.TOLD_CHALLENGES_PER_SECOND_MAX, Limits.TOLD_CHALLENGES_PER_SECOND_MAX);
  private final RateLimiter newPorts =
      new RateLimiter(Limits.NEW_PORTS_PER_SECOND_MAX, Limits.NEW_PORTS_PER_SECOND_MAX);
  private final ClearHeaderFlyweight clear = new ClearHeaderFlyweight();
  private final PacketValidator validator;
  private final Queue<Connection> touched = new ArrayDeque<>();
  private int answerLength;
  private int arrival = PacketBurst.NO_PATH;
  private long timerTickNs;
  private List<LocalNi> localNis = List.of(LocalNi.UNNAMED);
  private RailHealth railHealth;
  private ConnectionConfig lastWishes; // connections with equal wishes share one copy
  private AgreedParameters lastAgreed; // equal parts are shared in the same way

  /**
   * @param waker called when {@link #nextWithWork} must be called on this endpoint's loop: a
   *     connection that waited for the node's budget can go on. Any thread
   * @param secrets draws ids, cookies, keys and the connections' seeds. Must be unpredictable
   *     outside a simulator
   */
  @SuppressWarnings("exports") // for the modules that drive the core
  public Endpoint(
      EndpointConfig config,
      LoopResources loop,
      NodeBudgets budgets,
      Runnable waker,
      RandomGenerator secrets) {
    this.loop = loop;
    this.budgets = budgets;
    this.waker = waker;
    this.secrets = secrets;
    this.counters = loop.counters();
    this.validator = loop.validator();
    this.incarnation = secrets.nextLong();
    this.cids = new CidTable<>(config.loopIndex(), config.connectionsMax());
    AddressHash hash = new AddressHash(secrets.nextLong());
    this.peers = new PeerTable<>(hash, Connection::peerCid, Connection::peerIncarnation);
    this.serverHandshake =
        new ServerHandshake(this, config, loop, secrets, cids, peers, hash, answers);
  }

  /**
   * Makes this endpoint one of several behind one address. Without this call it is a node by
   * itself. Call before the first connection.
   */
  public void identity(NodeIdentity shared) {
    incarnation = shared.incarnation();
    serverHandshake.tokens(shared.tokens());
  }

  /**
   * Sets the network interfaces of this side, in the order of their indexes. Without this call
   * there is one, without a name. Call before the first connection.
   *
   * @param nis 1 to {@link Limits#LOCAL_NIS_MAX}
   */
  public void localNis(List<LocalNi> nis) {
    if (nis.isEmpty() || nis.size() > Limits.LOCAL_NIS_MAX) {
      throw new IllegalArgumentException(
          "nis=" + nis + ", valid: 1.." + Limits.LOCAL_NIS_MAX + " of them");
    }
    localNis = List.copyOf(nis);
  }

  /**
   * Makes this endpoint share the health of interfaces with others of its node. Without this call
   * it has its own. Call before the first connection.
   */
  public void railHealth(RailHealth shared) {
    railHealth = shared;
  }

  /** Returns the health of the interfaces at the ends of all paths. */
  public RailHealth railHealth() {
    if (railHealth == null) {
      railHealth = new RailHealth(new SplittableRandom(secrets.nextLong()));
    }
    return railHealth;
  }

  /** Returns the network interfaces of this side. */
  List<LocalNi> localNis() {
    return localNis;
  }

  /** Returns whether an address that a peer has told may be challenged now. Counts it. */
  boolean mayChallengeTold(long nowNs) {
    return toldChallenges.tryAcquire(nowNs);
  }

  /** Returns whether a connection may take a new source port now. Counts it. */
  boolean mayTakePort(long nowNs) {
    return newPorts.tryAcquire(nowNs);
  }

  /**
   * Sets how late {@link #onTimeout} may come on a host that is not busy, ns, at least 0; 0 at
   * first. Peers are told that acknowledgements may be late by this time. Call before the first
   * connection.
   */
  public void timerTickNs(long ns) {
    timerTickNs = ns;
  }

  /** Makes a connection from the first network interface to {@code remote}. */
  public Connection connect(ConnectionConfig wishes, InetSocketAddress remote, long nowNs) {
    return connect(wishes, List.of(new Pair(0, remote)), nowNs);
  }

  /**
   * Makes a connection over any of {@code pairs}. Its handshake begins with its next {@link
   * Connection#pollTransmit}. Attach it first. The other pairs are opened once it is established.
   *
   * @param pairs 1 to 8 different ones, the best first
   * @return null when this loop has no connection id free
   */
  public Connection connect(ConnectionConfig wishes, List<Pair> pairs, long nowNs) {
    return connect(wishes, pairs, List.of(), NidUse.FROM_EACH_INTERFACE, nowNs);
  }

  /**
   * Makes a connection likewise.
   *
   * @param localAddresses of the interfaces, by their indexes; those of equal address share their
   *     health
   * @param told what it does with the addresses that its target tells
   */
  public Connection connect(
      ConnectionConfig wishes,
      List<Pair> pairs,
      List<InetAddress> localAddresses,
      NidUse told,
      long nowNs) {
    check(pairs);
    int cid =
        cids.insert(
            this, nowNs); // a placeholder: the connection needs its id before it can be made
    if (cid == 0) {
      return null;
    }
    Connection connection =
        new Connection(
            this, loop, shared(wishes), pairs.get(0), cid, secrets.nextLong(), secrets.nextLong());
    cids.replace(cid, connection);
    for (int i = 1; i < pairs.size(); i++) {
      connection.peerPaths.give(pairs.get(i));
    }
    if (pairs.size() > 1) {
      connection.peerPaths.localAddresses(localAddresses);
    }
    connection.peerPaths.nidUse(told, pairs.size());
    connection.initiate(offer(wishes), nowNs);
    return connection;
  }

  private void check(List<Pair> pairs) {
    if (pairs.isEmpty() || pairs.size() > Limits.PATHS_MAX) {
      throw new IllegalArgumentException(
          "pairs=" + pairs + ", valid: 1.." + Limits.PATHS_MAX + " of them");
    }
    for (Pair pair : pairs) {
      if (pair.ni() < 0 || pair.ni() >= localNis.size()) {
        throw new IllegalArgumentException(
            "ni=" + pair.ni() + ", valid: 0.." + (localNis.size() - 1));
      }
    }
  }

  /** Returns a copy of {@code wishes} that is shared with the connection before, if equal. */
  private ConnectionConfig shared(ConnectionConfig wishes) {
    if (!wishes.equals(lastWishes)) {
      lastWishes = wishes;
    }
    return lastWishes;
  }

  /**
   * Returns parameters equal to {@code agreed}, which share their equal parts with those of the
   * connection before.
   */
  AgreedParameters shared(AgreedParameters agreed) {
    lastAgreed = lastAgreed == null ? agreed : agreed.sharing(lastAgreed);
    return lastAgreed;
  }

  /** Routes a datagram of an endpoint with one network interface. */
  public Connection route(
      ByteBuffer buffer, int offset, int length, InetSocketAddress from, long nowNs) {
    return route(buffer, offset, length, 0, from, nowNs);
  }

  /**
   * Returns the connection of a datagram, found by the id in its clear header. Null for all other
   * datagrams: {@link #onStray} takes them. If the packet confirms a handshake, this makes its
   * connection. The caller then attaches or aborts it. {@link #arrival} tells the path that the
   * datagram came by.
   *
   * @param ni index of the network interface that it came in by
   * @param from its source; null: the peer, for a socket that takes packets of one peer only
   */
  public Connection route(
      ByteBuffer buffer, int offset, int length, int ni, InetSocketAddress from, long nowNs) {
    arrival = PacketBurst.NO_PATH;
    if (length < ClearHeaderFlyweight.HEADER_LENGTH) {
      return null;
    }
    int cid = clear.wrap(buffer, offset).destinationCid();
    Object entry = cids.find(cid);
    if (entry instanceof HalfOpen halfOpen) {
      entry = serverHandshake.confirm(halfOpen, buffer, offset, length, ni, from, nowNs);
    }
    if (entry instanceof Connection connection) {
      arrival = connection.peerPaths.arrival(buffer, offset, length, ni, from, nowNs);
      if (arrival == PeerPaths.REFUSED) {
        arrival = PacketBurst.NO_PATH;
        return null;
      }
      return connection;
    }
    return null;
  }

  /**
   * Returns the index of the open path that the datagram last routed came by; {@link
   * PacketBurst#NO_PATH} if it came by none. A driver gives each packet this index in its burst.
   */
  public int arrival() {
    return arrival;
  }

  /**
   * Returns whether {@code cid} belongs to a handshake that is not confirmed yet. The next valid
   * packet to it makes a connection.
   */
  public boolean isHalfOpen(int cid) {
    return cids.find(cid) instanceof HalfOpen;
  }

  /** Takes a stray datagram of an endpoint with one network interface. */
  public int onStray(
      ByteBuffer buffer,
      int offset,
      int length,
      InetSocketAddress from,
      ConnectionConfig accepting,
      long nowNs) {
    return onStray(buffer, offset, length, 0, from, accepting, nowNs);
  }

  /**
   * Takes a datagram for which {@link #route} found no connection.
   *
   * @param ni index of the network interface that it came in by
   * @param accepting the wishes for a new connection from that address; null: none is accepted
   * @return bytes of the answer at {@link #answer}, to be sent by {@code ni} to {@code from}; 0: no
   *     answer
   */
  public int onStray(
      ByteBuffer buffer,
      int offset,
      int length,
      int ni,
      InetSocketAddress from,
      ConnectionConfig accepting,
      long nowNs) {
    answerLength = 0;
    takeStray(buffer, offset, length, ni, from, accepting, nowNs);
    return answerLength;
  }

  /**
   * Returns the buffer with the answer to a stray datagram, from index 0. Valid until the next
   * call.
   */
  public ByteBuffer answer() {
    return loop.packets().buffer();
  }

  private void takeStray(
      ByteBuffer buffer,
      int offset,
      int length,
      int ni,
      InetSocketAddress from,
      ConnectionConfig accepting,
      long nowNs) {
    counters.increment(CounterId.DATAGRAMS_RECEIVED);
    CounterId fault = validator.validate(buffer, offset, length);
    if (fault != null) {
      counters.increment(fault);
      if (fault == CounterId.DROP_VERSION && accepting != null) {
        serverHandshake.onOtherVersion(buffer, offset, length, nowNs);
      }
      return;
    }
    clear.wrap(buffer, offset);
    int type = clear.type();
    if (type == PacketType.CONNECT) {
      serverHandshake.onConnect(buffer, offset, ni, from, accepting, nowNs);
    } else if (type == PacketType.RESET) {
      onReset(buffer, offset, from, nowNs);
    } else if (cids.find(clear.destinationCid()) != null) {
      counters.increment(CounterId.DROP_SOURCE);
    } else {
      onUnknownCid(type, clear.destinationCid(), clear.cookie(), length, from, nowNs);
    }
  }

  private void onUnknownCid(
      int type, int cid, long cookie, int length, InetSocketAddress from, long nowNs) {
    counters.increment(CounterId.DROP_CID);
    boolean isAnswered =
        type != PacketType.CLOSE_ACK && type != PacketType.VERSION_NEGOTIATION && cid != 0;
    if (isAnswered && length > ResetFlyweight.PACKET_LENGTH && answers.tryAcquire(nowNs)) {
      counters.increment(CounterId.RESETS_SENT);
      answer(loop.packets().reset(cid, cookie));
    }
  }

  private void onReset(ByteBuffer buffer, int offset, InetSocketAddress from, long nowNs) {
    ResetFlyweight reset = new ResetFlyweight().wrap(buffer, offset);
    Connection connection = peers.find(from, reset.triggerCid());
    if (connection == null || (connection.peerCookie() ^ reset.triggerCookie()) != 0) {
      counters.increment(CounterId.DROP_COOKIE);
      return;
    }
    connection.onReset(nowNs);
    touched.add(connection);
  }

  // ---- for ServerHandshake

  OfferedParameters offer(ConnectionConfig wishes) {
    InitialNumbers numbers =
        wishes.initialNumbers() == null ? InitialNumbers.draw(secrets) : wishes.initialNumbers();
    return OfferedParameters.of(
        wishes, numbers, wishes.adpProfile().totalNs(wishes.adpParameters()), timerTickNs);
  }

  /** Returns the stage that takes unnumbered packets in, for all connections. */
  ControlStage controlStage() {
    return controlStage;
  }

  /** Returns a number that nobody can guess. */
  long drawSecret() {
    return secrets.nextLong();
  }

  // ---- time

  /** Returns when {@link #onTimeout} must be called, or {@link DeadlineWheel#NONE}. */
  public long nextDeadlineNs() {
    return Math.min(deadlines.nextDeadlineNs(), serverHandshake.nextDeadlineNs());
  }

  /**
   * Handles a deadline that has come. Receive first what has arrived: after a pause of the process,
   * packets that lie unread must not count as lost. Then {@link #pollExpired} tells whose deadline
   * it is.
   */
  public void onTimeout(long nowNs) {
    serverHandshake.expire(nowNs);
    long dueNs = deadlines.nextDeadlineNs();
    if (dueNs <= nowNs) {
      loop.lateness().onTurn(nowNs - dueNs);
    }
  }

  /**
   * Returns the next connection whose deadline has come; null: none. The caller calls {@link
   * Connection#onTimeout} and then polls it. It repeats this until the answer is null.
   */
  public Connection pollExpired(long nowNs) {
    for (int slot = deadlines.pollExpired(nowNs); slot >= 0; slot = deadlines.pollExpired(nowNs)) {
      if (cids.atSlot(slot) instanceof Connection connection) {
        return connection;
      }
    }
    return null;
  }

  /** Notes that {@code connection} can go on, and calls the waker. Any thread. */
  void wake(Connection connection) {
    woken.add(connection);
    waker.run();
  }

  /**
   * Returns the next connection that has something to say or to send, although none of its own
   * methods was called; null: none. There are two reasons. The node's budget has room for it again.
   * Or it ended because of a packet for another connection.
   *
   * <p>Call after the waker was called. Also call after each call of this endpoint, or of one of
   * its connections, that takes packets in.
   */
  public Connection nextWithWork() {
    Connection first = touched.poll();
    return first == null ? woken.poll() : first;
  }

  /**
   * Sets a connection's deadline. A deadline in the past counts as now: the loop is not late for
   * it.
   */
  void deadline(Connection connection, long deadlineNs, long nowNs) {
    deadlines.set(CidTable.slot(connection.cid()), Math.max(deadlineNs, nowNs), nowNs);
  }

  // ---- connections

  /**
   * Ends older connections of the same peer with another incarnation.
   *
   * <p>The peer has answered a packet that was sent at {@code askedNs}, so this incarnation lived
   * after that time. Connections of another incarnation that were established before are dead. A
   * connection established since then is younger: then this answer is a late one, from the dead
   * incarnation.
   */
  void onEstablished(Connection connection, long askedNs, long nowNs) {
    peers.forEachOther(
        connection.remote(),
        connection.peerIncarnation(),
        other -> {
          if (other.establishedNs - askedNs <= 0) {
            other.end(CloseReason.of(CloseCode.PEER_RESTARTED), nowNs);
            other.forget(nowNs);
            touched.add(other);
          }
        });
    peers.add(connection.remote(), connection);
  }

  /**
   * Keeps the table of peers correct when a path was opened, has moved or was closed.
   *
   * @param from address that the path had; null: none
   * @param to address that the path has; null: none
   */
  void readdress(Connection connection, InetSocketAddress from, InetSocketAddress to) {
    if (from != null && !connection.peerPaths.hasRemote(from)) {
      peers.remove(from, connection);
    }
    if (to != null) {
      peers.add(to, connection);
    }
  }

  void forget(Connection connection, long nowNs) {
    connection.peerPaths.closeHealths();
    connection.peerPaths.forEachRemote(address -> peers.remove(address, connection));
    deadlines.set(CidTable.slot(connection.cid()), DeadlineWheel.NONE, nowNs);
    cids.remove(connection.cid(), nowNs);
  }

  /** Returns the number of connections and half-open handshakes. */
  public int size() {
    return cids.size();
  }

  public Counters counters() {
    return counters;
  }

  long incarnation() {
    return incarnation;
  }

  NodeBudgets budgets() {
    return budgets;
  }

  /** Sends {@code length} bytes at {@link #answer} back to the sender of the stray datagram. */
  void answer(int length) {
    counters.increment(CounterId.DATAGRAMS_SENT);
    answerLength = length;
  }
}
