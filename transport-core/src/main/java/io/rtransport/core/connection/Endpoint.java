package io.rtransport.core.connection;

import io.rtransport.core.parameter.AgreedParameters;
import io.rtransport.core.parameter.InitialNumbers;
import io.rtransport.core.solicitation.NodeBudgets;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.time.DeadlineWheel;
import io.rtransport.core.wire.ClearHeaderFlyweight;
import io.rtransport.core.wire.CloseCode;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.PacketValidator;
import io.rtransport.core.wire.ResetFlyweight;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.random.RandomGenerator;

/**
 * One event loop's end of all its connections: gives ids, routes datagrams to their connection,
 * answers strangers, and knows the next deadline. Who knocks is {@link ServerHandshake}'s.
 *
 * <p>Loop-confined. Whatever a stranger sends is dropped and counted, never thrown; what it is
 * answered is at most three times as long as what it sent, by any packet.
 */
public final class Endpoint {
  /** When a connection whose packets may lie unread is looked at again: a read batch later. */
  static final long LOOK_AGAIN_NS = 100_000;

  private static final int ANSWERS_PER_SECOND = 1_000;
  private static final int ANSWERS_BURST = 100;

  private final LoopResources loop;
  private final NodeBudgets budgets;
  private final RandomGenerator secrets;
  private final Counters counters;
  private long incarnation;
  private final CidTable<Object> cids;
  private final PeerTable peers;
  private final Queue<Connection> woken = new ConcurrentLinkedQueue<>();
  private final Runnable waker;
  private final DeadlineWheel deadlines = new DeadlineWheel();
  private final ServerHandshake serverHandshake;
  private final RateLimiter answers = new RateLimiter(ANSWERS_PER_SECOND, ANSWERS_BURST);
  private final ClearHeaderFlyweight clear = new ClearHeaderFlyweight();
  private final PacketValidator validator;
  private final Queue<Connection> touched = new ArrayDeque<>();
  private int answerLength;
  private long timerTickNs;
  private ConnectionConfig lastWishes; // equal ones are kept once
  private AgreedParameters lastAgreed; // the same of its parts

  /**
   * @param waker called, on any thread, when {@link #nextWithWork} is to be asked on this
   *     endpoint's loop: a connection that waited for the node's budget can go on
   * @param secrets draws ids, cookies, keys and the connections' seeds: must be unpredictable
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
    this.peers = new PeerTable(hash);
    this.serverHandshake =
        new ServerHandshake(this, config, loop, secrets, cids, peers, hash, answers);
  }

  /**
   * Makes it one of several endpoints behind one address; else it is a node by itself. Before the
   * first connection.
   */
  public void identity(NodeIdentity shared) {
    incarnation = shared.incarnation();
    serverHandshake.tokens(shared.tokens());
  }

  /**
   * How late {@link #onTimeout} may come on a host that is not busy, ns, at least 0; 0 at first.
   * Peers are told that acknowledgements come so much later than they are held. Before the first
   * connection.
   */
  public void timerTickNs(long ns) {
    timerTickNs = ns;
  }

  /**
   * A connection to {@code remote}, which begins its handshake at its next {@link
   * Connection#pollTransmit}. Attach it first.
   *
   * @return null when this loop has no connection id free
   */
  public Connection connect(ConnectionConfig wishes, InetSocketAddress remote, long nowNs) {
    int cid =
        cids.insert(
            this, nowNs); // holds the slot until the connection, which knows its id, is there
    if (cid == 0) {
      return null;
    }
    Connection connection =
        new Connection(
            this, loop, shared(wishes), remote, cid, secrets.nextLong(), secrets.nextLong());
    cids.replace(cid, connection);
    connection.initiate(offer(wishes), nowNs);
    return connection;
  }

  /** The copy of {@code wishes} that connections begun alike share. */
  private ConnectionConfig shared(ConnectionConfig wishes) {
    if (!wishes.equals(lastWishes)) {
      lastWishes = wishes;
    }
    return lastWishes;
  }

  /** The same as {@code agreed}, which shares what is equal with the connection before it. */
  AgreedParameters shared(AgreedParameters agreed) {
    lastAgreed = lastAgreed == null ? agreed : agreed.sharing(lastAgreed);
    return lastAgreed;
  }

  /**
   * The connection that a datagram is for, by the id in its clear header; null for all others,
   * which {@link #onStray} takes. A handshake that the packet confirms becomes a connection here:
   * to be attached, or aborted.
   */
  public Connection route(
      ByteBuffer buffer, int offset, int length, InetSocketAddress from, long nowNs) {
    if (length < ClearHeaderFlyweight.HEADER_LENGTH) {
      return null;
    }
    int cid = clear.wrap(buffer, offset).destinationCid();
    Object entry = cids.find(cid);
    if (entry instanceof HalfOpen halfOpen) {
      entry = serverHandshake.confirm(halfOpen, buffer, offset, length, nowNs);
    }
    if (entry instanceof Connection connection) {
      boolean isPeers =
          from == null
              || from.equals(connection.remote())
              || connection.peerAddress.onForeign(buffer, offset, length, from, nowNs);
      return isPeers ? connection : null;
    }
    return null;
  }

  /**
   * Whether {@code cid} is a handshake's that its initiator has not confirmed: the next packet to
   * it makes a connection.
   */
  public boolean isHalfOpen(int cid) {
    return cids.find(cid) instanceof HalfOpen;
  }

  /**
   * Takes a datagram that {@link #route} found no connection for.
   *
   * @param accepting by which a connection from that address would be accepted; null: none is
   * @return bytes of the answer at {@link #answer}, to go to {@code from}; 0: none
   */
  public int onStray(
      ByteBuffer buffer,
      int offset,
      int length,
      InetSocketAddress from,
      ConnectionConfig accepting,
      long nowNs) {
    answerLength = 0;
    takeStray(buffer, offset, length, from, accepting, nowNs);
    return answerLength;
  }

  /** Where the answer to a stray begins, until the next call. */
  public ByteBuffer answer() {
    return loop.packets().buffer();
  }

  private void takeStray(
      ByteBuffer buffer,
      int offset,
      int length,
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
      serverHandshake.onConnect(buffer, offset, from, accepting, nowNs);
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

  // ---- what the target's half of set-up needs

  OfferedParameters offer(ConnectionConfig wishes) {
    InitialNumbers numbers =
        wishes.initialNumbers() == null ? InitialNumbers.draw(secrets) : wishes.initialNumbers();
    return OfferedParameters.of(
        wishes, numbers, wishes.adpProfile().totalNs(wishes.adpParameters()), timerTickNs);
  }

  /** A number that nobody can guess. */
  long drawSecret() {
    return secrets.nextLong();
  }

  // ---- time

  /** When {@link #onTimeout} is to be called, or {@link DeadlineWheel#NONE}. */
  public long nextDeadlineNs() {
    return Math.min(deadlines.nextDeadlineNs(), serverHandshake.nextDeadlineNs());
  }

  /**
   * A deadline has come. Receive what has arrived first: a pause of the process is not a loss. Then
   * {@link #pollExpired} says whose it is.
   */
  public void onTimeout(long nowNs) {
    serverHandshake.expire(nowNs);
    long dueNs = deadlines.nextDeadlineNs();
    if (dueNs <= nowNs) {
      loop.lateness().onTurn(nowNs - dueNs);
    }
  }

  /**
   * The next connection whose deadline has come, for {@link Connection#onTimeout}, and to be polled
   * then; null: none. Called until it answers that.
   */
  public Connection pollExpired(long nowNs) {
    for (int slot = deadlines.pollExpired(nowNs); slot >= 0; slot = deadlines.pollExpired(nowNs)) {
      if (cids.atSlot(slot) instanceof Connection connection) {
        return connection;
      }
    }
    return null;
  }

  /** On any thread. */
  void wake(Connection connection) {
    woken.add(connection);
    waker.run();
  }

  /**
   * The next connection that has something to say or to send though none of its own methods was
   * called: the node's budget has room again, for which it had waited; or it ended because of what
   * came for another. Null: none. To be asked after the waker was called, and after each call of
   * this endpoint or one of its connections that takes packets in.
   */
  public Connection nextWithWork() {
    Connection first = touched.poll();
    return first == null ? woken.poll() : first;
  }

  /** What was due before it was set is due now: that is no lateness. */
  void deadline(Connection connection, long deadlineNs, long nowNs) {
    deadlines.set(CidTable.slot(connection.cid()), Math.max(deadlineNs, nowNs), nowNs);
  }

  // ---- connections

  /**
   * The peer of {@code connection} lived after {@code askedNs}, for it has answered what was sent
   * then. So of another incarnation those are dead that were established before; one that was
   * established since is the younger, and this answer is a late one of the dead.
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
    peers.add(connection);
  }

  /** Around a change of the connection's address, by which it is found. */
  void readdress(Connection connection, Runnable change) {
    peers.remove(connection);
    change.run();
    peers.add(connection);
  }

  void forget(Connection connection, long nowNs) {
    peers.remove(connection);
    deadlines.set(CidTable.slot(connection.cid()), DeadlineWheel.NONE, nowNs);
    cids.remove(connection.cid(), nowNs);
  }

  /** Connections and half-open handshakes. */
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

  /** {@code length} bytes at {@link #answer} go back to whom the stray came from. */
  void answer(int length) {
    counters.increment(CounterId.DATAGRAMS_SENT);
    answerLength = length;
  }
}
