package io.rtransport.core.connection;

import io.rtransport.core.solicitation.NodeBudgets;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.time.DeadlineQueue;
import io.rtransport.core.wire.ClearHeaderFlyweight;
import io.rtransport.core.wire.ConnectFlyweight;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.PacketValidator;
import io.rtransport.core.wire.ResetFlyweight;
import io.rtransport.core.wire.TlvId;
import io.rtransport.core.wire.TlvReader;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.random.RandomGenerator;

/**
 * One event loop's end of all its connections: gives ids, routes datagrams to their connection, answers strangers, and knows the next
 * deadline. The target's half of set-up is here, because until it is confirmed a handshake is no connection:
 *
 * <pre>
 *   CONNECT ──▶ half-open above the threshold and no valid token: RETRY, nothing kept
 *           ──▶ else {@link HalfOpen} + ACCEPT, repeated alike for a repeated CONNECT
 *   first valid packet with our id and cookie from that address ──▶ {@link Connection}, accepted by the application
 * </pre>
 *
 * Loop-confined. Whatever a stranger sends is dropped and counted, never thrown; answers to strangers are rate-limited and at most three
 * times as long as what they sent.
 */
public final class Endpoint {
  private static final int ANSWERS_PER_SECOND = 1_000;
  private static final int ANSWERS_BURST = 100;

  private final EndpointConfig config;
  private final LoopResources loop;
  private final NodeBudgets budgets;
  private final RandomGenerator secrets;
  private final Counters counters;
  private final StraySender strays;
  private final long incarnation;
  private final CidTable<Object> cids;
  private final PeerTable peers;
  private final Queue<Connection> woken = new ConcurrentLinkedQueue<>();
  private final Runnable waker;
  private final DeadlineQueue deadlines = new DeadlineQueue();
  private final HalfOpens halfOpens;
  private final RateLimiter answers = new RateLimiter(ANSWERS_PER_SECOND, ANSWERS_BURST);
  private final ClearHeaderFlyweight clear = new ClearHeaderFlyweight();
  private final PacketValidator validator;
  private TokenMint tokens;
  private Acceptor acceptor;

  /**
   * @param strays sends what belongs to no connection
   * @param waker called, on any thread, when {@link #onWake} is to be called on this endpoint's loop: a connection that waited for the node's
   *     budget can go on
   * @param secrets draws ids, cookies, keys and the connections' seeds: must be unpredictable outside a simulator
   */
  public Endpoint(
      EndpointConfig config,
      LoopResources loop,
      NodeBudgets budgets,
      StraySender strays,
      Runnable waker,
      RandomGenerator secrets) {
    this.config = config;
    this.loop = loop;
    this.budgets = budgets;
    this.strays = strays;
    this.waker = waker;
    this.secrets = secrets;
    this.counters = loop.counters();
    this.validator = loop.validator();
    this.incarnation = secrets.nextLong();
    this.cids = new CidTable<>(config.loopIndex(), config.connectionsMax());
    this.peers = new PeerTable(secrets.nextLong());
    this.halfOpens =
        new HalfOpens(name -> peers.hash(name.from(), name.nonce() * 31 + name.peerCid()));
  }

  /** Starts to accept connections, or, with null, stops; those that are set up live on. */
  public void acceptor(Acceptor newAcceptor) {
    acceptor = newAcceptor;
  }

  /**
   * A connection to {@code remote}, which begins its handshake at its next {@link Connection#flush}. Attach it first.
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
        new Connection(this, loop, wishes, remote, cid, secrets.nextLong(), secrets.nextLong());
    cids.replace(cid, connection);
    connection.initiate(offer(wishes), nowNs);
    return connection;
  }

  /**
   * The connection that a datagram is for, by the id in its clear header; null for all others, which {@link #onStray} takes. A handshake
   * that the packet confirms becomes a connection here.
   */
  public Connection route(
      ByteBuffer buffer, int offset, int length, InetSocketAddress from, long nowNs) {
    if (length < ClearHeaderFlyweight.HEADER_LENGTH) {
      return null;
    }
    int cid = clear.wrap(buffer, offset).destinationCid();
    Object entry = cids.find(cid);
    if (entry instanceof Connection connection) {
      // Another address is a stranger's until it has answered a PATH_CHALLENGE.
      return from == null || from.equals(connection.remote()) ? connection : null;
    }
    if (entry instanceof HalfOpen halfOpen && from.equals(halfOpen.from())) {
      return confirm(halfOpen, buffer, offset, length, nowNs);
    }
    return null;
  }

  /** Whether {@code cid} is a handshake's that its initiator has not confirmed: the next packet to it makes a connection. */
  public boolean isHalfOpen(int cid) {
    return cids.find(cid) instanceof HalfOpen;
  }

  /** Takes a datagram that {@link #route} found no connection for. */
  public void onStray(
      ByteBuffer buffer, int offset, int length, InetSocketAddress from, long nowNs) {
    counters.increment(CounterId.DATAGRAMS_RECEIVED);
    CounterId fault = validator.validate(buffer, offset, length);
    if (fault != null) {
      counters.increment(fault);
      return;
    }
    clear.wrap(buffer, offset);
    int type = clear.type();
    if (type == PacketType.CONNECT) {
      onConnect(buffer, offset, from, nowNs);
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
      send(loop.packets().reset(cid, cookie), from);
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
  }

  // ---- set-up at the target

  private void onConnect(ByteBuffer buffer, int offset, InetSocketAddress from, long nowNs) {
    counters.increment(CounterId.CONNECTS_RECEIVED);
    expireHalfOpens(nowNs);
    ConnectFlyweight connect = new ConnectFlyweight().wrap(buffer, offset);
    TlvReader tlvs = new TlvReader().wrap(buffer, connect.tlvOffset(), connect.tlvLength());
    HalfOpens.Name name = new HalfOpens.Name(from, connect.sourceCid(), connect.nonce());
    HalfOpen known = halfOpens.find(name);
    if (known != null) {
      accept(known, connect.attempt(), nowNs);
      return;
    }
    Connection connected = peers.find(from, connect.sourceCid());
    if (connected != null && connected.peerIncarnation() == connect.incarnation()) {
      counters.increment(
          CounterId.DROP_STATE); // a late copy of the CONNECT that made it: it never changes a
      // connection
      return;
    }
    if (!speaksOurVersion(tlvs)) {
      reject(connect, CloseCode.VERSION, from, nowNs);
      return;
    }
    OfferedParameters peer = OfferedParameters.read(tlvs);
    ConnectionConfig wishes = acceptor == null ? null : acceptor.configFor(from);
    if (peer == null || wishes == null || halfOpens.size() >= config.halfOpenMax()) {
      reject(connect, peer == null ? CloseCode.PROTOCOL_ERROR : CloseCode.REJECTED, from, nowNs);
      return;
    }
    if (halfOpens.size() >= config.tokenThreshold() && !hasToken(tlvs, buffer, from, nowNs)) {
      if (answers.tryAcquire(nowNs)) {
        counters.increment(CounterId.RETRIES_SENT);
        byte[] token = mint(nowNs).mint(from, nowNs);
        send(
            loop.packets().retry(connect.sourceCid(), connect.cookie(), connect.nonce(), token),
            from);
      }
      return;
    }
    open(name, connect, wishes, peer, nowNs);
  }

  private void open(
      HalfOpens.Name name,
      ConnectFlyweight connect,
      ConnectionConfig wishes,
      OfferedParameters peer,
      long nowNs) {
    HalfOpen halfOpen =
        new HalfOpen(
            name,
            connect.cookie(),
            connect.incarnation(),
            secrets.nextLong(),
            wishes,
            offer(wishes),
            peer,
            nowNs);
    halfOpen.cid = cids.insert(halfOpen, nowNs);
    if (halfOpen.cid == 0) {
      reject(connect, CloseCode.REJECTED, name.from(), nowNs);
      return;
    }
    halfOpens.add(halfOpen);
    accept(halfOpen, connect.attempt(), nowNs);
  }

  private void accept(HalfOpen halfOpen, int attempt, long nowNs) {
    halfOpen.acceptsSent++;
    halfOpen.acceptSentNs = nowNs;
    send(loop.packets().accept(halfOpen, incarnation, attempt), halfOpen.from());
  }

  private void reject(
      ConnectFlyweight connect, CloseCode code, InetSocketAddress from, long nowNs) {
    if (answers.tryAcquire(nowNs)) {
      counters.increment(CounterId.REJECTS_SENT);
      send(
          loop.packets().reject(connect.sourceCid(), connect.cookie(), connect.nonce(), code),
          from);
    } else {
      counters.increment(CounterId.DROP_RATE);
    }
  }

  private Connection confirm(
      HalfOpen halfOpen, ByteBuffer buffer, int offset, int length, long nowNs) {
    boolean isConfirmed =
        validator.validate(buffer, offset, length) == null
            && (clear.cookie() ^ halfOpen.cookie) == 0;
    if (!isConfirmed || acceptor == null) {
      return null;
    }
    halfOpens.remove(halfOpen);
    Connection connection =
        new Connection(
            this,
            loop,
            halfOpen.config,
            halfOpen.from(),
            halfOpen.cid,
            halfOpen.cookie,
            secrets.nextLong());
    cids.replace(halfOpen.cid, connection);
    boolean isAccepted = acceptor.accept(connection, halfOpen.from());
    connection.establish(
        halfOpen.peerCid(),
        halfOpen.peerCookie,
        halfOpen.peerIncarnation,
        AgreedParameters.of(halfOpen.own, halfOpen.peer),
        halfOpen.roundTripNs(nowNs),
        nowNs);
    if (!isAccepted) {
      connection.abort(CloseCode.REJECTED.code(), CloseCode.REJECTED.sentence(), nowNs);
    }
    return connection;
  }

  private boolean hasToken(TlvReader tlvs, ByteBuffer buffer, InetSocketAddress from, long nowNs) {
    if (!tlvs.find(TlvId.TOKEN)) {
      return false;
    }
    byte[] token = new byte[tlvs.length()]; // at most Limits.TOKEN_LENGTH_MAX: the door has looked
    buffer.get(tlvs.valueOffset(), token);
    return mint(nowNs).isValid(token, from, nowNs);
  }

  private static boolean speaksOurVersion(TlvReader tlvs) {
    if (!tlvs.find(TlvId.VERSIONS)) {
      return true;
    }
    for (int i = 0; i < tlvs.length(); i++) {
      if (tlvs.byteAt(i) == ClearHeaderFlyweight.VERSION) {
        return true;
      }
    }
    return false;
  }

  private TokenMint mint(long nowNs) {
    if (tokens == null) {
      tokens = new TokenMint(secrets, nowNs);
    }
    return tokens;
  }

  private OfferedParameters offer(ConnectionConfig wishes) {
    InitialNumbers numbers =
        wishes.initialNumbers() == null ? InitialNumbers.draw(secrets) : wishes.initialNumbers();
    return OfferedParameters.of(
        wishes, numbers, wishes.adpProfile().totalNs(wishes.adpParameters()));
  }

  private void expireHalfOpens(long nowNs) {
    HalfOpen oldest = halfOpens.oldest();
    while (oldest != null && nowNs - oldest.bornNs >= HalfOpen.LIFETIME_NS) {
      halfOpens.remove(oldest);
      cids.remove(oldest.cid, nowNs);
      counters.increment(CounterId.HALF_OPEN_EXPIRED);
      oldest = halfOpens.oldest();
    }
  }

  // ---- time

  /** When {@link #onTimeout} is to be called, or {@link DeadlineQueue#NONE}. */
  public long nextDeadlineNs() {
    long next = deadlines.nextDeadlineNs();
    HalfOpen oldest = halfOpens.oldest();
    return oldest == null ? next : Math.min(next, oldest.bornNs + HalfOpen.LIFETIME_NS);
  }

  /** Lets every connection whose deadline has come act. Receive what has arrived first: a pause of the process is not a loss. */
  public void onTimeout(long nowNs) {
    expireHalfOpens(nowNs);
    for (int slot = deadlines.pollExpired(nowNs); slot >= 0; slot = deadlines.pollExpired(nowNs)) {
      if (cids.atSlot(slot) instanceof Connection connection) {
        connection.onTimeout(nowNs);
      }
    }
  }

  /** On any thread. */
  void wake(Connection connection) {
    woken.add(connection);
    waker.run();
  }

  /** On the loop, after the waker was called. */
  public void onWake(long nowNs) {
    for (Connection connection = woken.poll(); connection != null; connection = woken.poll()) {
      connection.onBudget(nowNs);
    }
  }

  void deadline(Connection connection, long deadlineNs) {
    deadlines.set(CidTable.slot(connection.cid()), deadlineNs);
  }

  // ---- connections

  void onEstablished(Connection connection, long nowNs) {
    peers.forEachOlder(
        connection.remote(),
        connection.peerIncarnation(),
        older -> {
          older.end(CloseReason.of(CloseCode.PEER_RESTARTED), nowNs);
          older.forget(nowNs);
        });
    peers.add(connection);
  }

  void forget(Connection connection, long nowNs) {
    peers.remove(connection);
    deadlines.set(CidTable.slot(connection.cid()), DeadlineQueue.NONE);
    cids.remove(connection.cid(), nowNs);
  }

  /** Ends every connection at once: the loop is going away. */
  public void abortAll(int code, String text, long nowNs) {
    for (int slot = 0; slot < cids.slotCount(); slot++) {
      if (cids.atSlot(slot) instanceof Connection connection) {
        connection.abort(code, text, nowNs);
      }
    }
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

  private void send(int length, InetSocketAddress to) {
    counters.increment(CounterId.DATAGRAMS_SENT);
    strays.send(loop.packets().buffer(), 0, length, to);
  }
}
