package io.rtransport.core.connection;

import io.rtransport.core.connection.ConnectionTimers.Timer;
import io.rtransport.core.solicitation.SolicitationSublayer;
import io.rtransport.core.stats.Bound;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.OutboxEntry.Kind;
import io.rtransport.core.transaction.PayloadSink;
import io.rtransport.core.transaction.TransactionListener;
import io.rtransport.core.transaction.TransactionSublayer;
import io.rtransport.core.window.WindowSublayer;
import io.rtransport.core.wire.CloseCode;
import io.rtransport.core.wire.PacketBurst;
import io.rtransport.core.wire.PacketDoor;
import java.net.InetSocketAddress;
import java.util.SplittableRandom;
import java.util.function.IntPredicate;

/**
 * One connection: where its sublayers meet, and the one place that says in which order they are
 * called.
 *
 * <pre>
 *   receive*          a burst goes up: wire, window, solicitation, transaction
 *   receiveComplete   acknowledge → transmit → re-arm
 *   flush             transmit → re-arm           (inside a read batch: only marked, done at its end)
 *   onTimeout         timers → acknowledge → transmit → re-arm
 * </pre>
 *
 * It holds that sequence, no decisions: set-up is {@link ClientHandshake}'s (at the target {@link
 * ServerHandshake}'s), the end {@link Closing}'s, silence {@link Liveness}'s, where the peer is
 * {@link PeerAddress}'s. Confined to the event loop of its {@link Endpoint}.
 */
public final class Connection {
  private final Endpoint endpoint;
  private final LoopResources loop;
  private final ConnectionConfig config;
  final PeerAddress peerAddress;
  private final int cid;
  private final long cookie;
  private final SplittableRandom random;
  private final Counters counters;
  private final ConnectionTimers timers = new ConnectionTimers();
  private final PacketDoor door;
  private final Closing closing;
  private final ApplicationVerbs verbs = new ApplicationVerbs(this);
  private ConnectionState state = ConnectionState.CONNECTING;
  private ClientHandshake clientHandshake;
  private Liveness liveness;
  private Link link;
  private PayloadSink sink;
  private TransactionListener transactions;
  private ListenerBridge bridge;
  private final LifeEntries life = new LifeEntries();
  private AgreedParameters agreed;
  private int peerCid;
  private long peerCookie;
  private long peerIncarnation;
  Sublayers sublayers;
  long establishedNs;
  private IntPredicate hasLinkRoom;
  private boolean isDraining;

  /** Whether something was thrown over what it had to say: till its end it says no more. */
  private boolean isBroken;

  private boolean isReceiving;
  private boolean isPumping;
  private boolean isPumpDue;
  private boolean isKeepalive;
  private int flushWindowNs;
  private int wholeLengthMax = -1;
  private CloseReason pendingAbort;
  private final HeldTimers heldTimers = new HeldTimers();
  private long nowNs;

  Connection(
      Endpoint endpoint,
      LoopResources loop,
      ConnectionConfig config,
      InetSocketAddress remote,
      int cid,
      long cookie,
      long seed) {
    this.endpoint = endpoint;
    this.loop = loop;
    this.config = config;
    this.isKeepalive = config.isKeepalive();
    this.flushWindowNs = (int) config.flushWindowNs();
    this.cid = cid;
    this.cookie = cookie;
    this.random = new SplittableRandom(seed);
    this.counters = new Counters(loop.counters());
    this.peerAddress = new PeerAddress(this, endpoint, random, remote);
    this.door = new PacketDoor(loop.validator(), counters, cid, cookie);
    this.closing = new Closing(this);
  }

  // ---- set-up

  /** Gives the connection its surroundings. Once, before anything else. */
  public void attach(
      Link toLink,
      PayloadSink toSink,
      TransactionListener toTransactions,
      ConnectionListener toListener) {
    link = toLink;
    hasLinkRoom = toLink::hasRoom;
    sink = toSink;
    transactions = toTransactions;
    bridge = new ListenerBridge(toTransactions, toListener);
  }

  void initiate(OfferedParameters own, long startNs) {
    nowNs = startNs;
    clientHandshake = new ClientHandshake(this, own, endpoint.incarnation(), random);
    timers.set(Timer.CONNECT, startNs);
    timers.set(Timer.CONNECT_LIMIT, startNs + config.connectTimeoutNs());
    rearm();
  }

  void establish(
      int toCid,
      long toCookie,
      long incarnation,
      AgreedParameters parameters,
      long roundTripNs,
      long askedNs,
      long atNs) {
    nowNs = atNs;
    establishedNs = atNs;
    peerCid = toCid;
    peerCookie = toCookie;
    peerIncarnation = incarnation;
    agreed = parameters;
    state = ConnectionState.ESTABLISHED;
    clientHandshake = null;
    sublayers = new Sublayers(this, roundTripNs);
    liveness = new Liveness(this, parameters, isKeepalive, atNs);
    endpoint.onEstablished(this, askedNs, atNs);
    counters.increment(CounterId.CONNECTIONS_ESTABLISHED);
    life.put(Kind.ESTABLISHED);
    drain(); // before anything of the peer's is read: only now may its address be trusted
  }

  // ---- the order of the calls

  /**
   * Carries one burst up. The last one of a read batch is followed by {@link #receiveComplete}.
   * What a listener throws comes out of here, or of a stage of the link; all that may follow is the
   * connection's end.
   */
  public void receive(PacketBurst burst, long atNs) {
    if (isBroken) {
      return;
    }
    nowNs = atNs;
    isReceiving = true;
    try {
      link.receive(burst, atNs);
      drain();
    } finally {
      dropBurst(); // which a stage that throws has kept from the last one
    }
  }

  /** The read batch is over: acknowledge, transmit, re-arm. */
  public void receiveComplete(long atNs) {
    isReceiving = false;
    pump(atNs);
  }

  /**
   * The application has submitted, or the port has room again, or the node's budget: transmit,
   * re-arm.
   */
  public void flush(long atNs) {
    if (!isReceiving) {
      pump(atNs);
    }
  }

  /**
   * The network says that nothing listens at the peer's address: a hint, which {@link Liveness}
   * holds against the peer itself.
   */
  public void onUnreachable(long atNs) {
    nowNs = atNs;
    if (state == ConnectionState.ESTABLISHED) {
      liveness.onUnreachable(atNs);
      rearm();
      drain();
    }
  }

  /** Whether timers that are due must wait, because what they wait for may lie unread. */
  boolean holdsTimers(long atNs) {
    return heldTimers.mustWait(link, counters, atNs);
  }

  void onTimeout(long atNs) {
    nowNs = atNs;
    heldTimers.release();
    if (clientHandshake != null && timers.expire(Timer.CONNECT_LIMIT, atNs)) {
      end(CloseReason.of(CloseCode.CONNECT_TIMEOUT), atNs);
      forget(atNs);
      drain();
      return;
    }
    peerAddress.onTimeout(atNs);
    if (state == ConnectionState.ESTABLISHED) {
      boolean wasReceiving = isReceiving;
      isReceiving = true; // a payload that is released may ask for the end of the connection
      try {
        sublayers.onTimeout(atNs);
        liveness.onTimeout(atNs);
      } finally {
        isReceiving = wasReceiving;
      }
    }
    closing.onTimeout(atNs);
    pump(atNs);
  }

  private void pump(long atNs) {
    nowNs = atNs;
    if (isPumping) {
      isPumpDue = true; // a promise completed by this pump made the application submit more
      return;
    }
    isPumping = true;
    try {
      do {
        isPumpDue = false;
        if (state == ConnectionState.ESTABLISHED) {
          turn(atNs);
        } else if (clientHandshake != null && timers.expire(Timer.CONNECT, atNs)) {
          clientHandshake.send(atNs);
        }
      } while (isPumpDue);
    } finally {
      isPumping = false; // whatever was thrown: it can still be aborted
    }
    if (state == ConnectionState.ESTABLISHED) {
      sublayers.dropUntouched();
    }
    rearm();
    if (isEnded()) { // what else came up while it transmitted is told on its next turn
      drain();
    }
  }

  private void turn(long atNs) {
    if (sublayers.inUse() != null && pendingAbort == null) {
      exchange(sublayers.inUse(), atNs);
    }
    if (state == ConnectionState.ESTABLISHED) {
      judge(atNs);
    }
    if (state == ConnectionState.ESTABLISHED) {
      liveness.advance(atNs);
      closing.advance(atNs);
    }
  }

  private void exchange(SublayerStack with, long atNs) {
    drain();
    with.peerFin.follow(with);
    drain();
    with.solicitation.onTransmitting(with.window.hasAckDue(atNs), atNs);
    PacketBurst out = loop.outbound();
    do {
      out.clear();
      with.window.pollTransmit(out, with.solicitation, hasLinkRoom, atNs);
      if (out.count() == 0) {
        break;
      }
      counters.add(CounterId.DATAGRAMS_SENT, out.count());
      link.transmit(out, atNs);
    } while (state == ConnectionState.ESTABLISHED && link.hasRoom(0));
    out.clear();
    with.solicitation.onTransmitted();
    if (state != ConnectionState.ESTABLISHED) {
      return;
    }
    with.judgeBound(link.hasRoom(0), atNs);
    PathProbes.advance(this, endpoint, with.window, atNs);
    if (with.window.hasAckDue(atNs)) {
      with.window.creditLimitBytes(with.solicitation.creditLimitBytes());
      transmitControl(with.window.pollAck(loop.packets().buffer(), 0, atNs), atNs);
    }
  }

  /** Ends the connection if a sublayer says that it must. */
  private void judge(long atNs) {
    CloseReason failure = sublayers.failure();
    if (pendingAbort != null) {
      CloseReason abort = pendingAbort;
      pendingAbort = null;
      closing.abort(abort.code(), abort.text(), atNs);
    } else if (failure != null) {
      failWith(failure, atNs);
    }
  }

  /** Ends and forgets the connection for a reason of this side's own; the peer is told once. */
  void failWith(CloseReason reason, long atNs) {
    closing.sendLast(reason, atNs);
    end(reason, atNs);
    forget(atNs);
  }

  private void rearm() {
    long next = timers.nextDeadlineNs();
    if (state == ConnectionState.ESTABLISHED) {
      next = Math.min(next, sublayers.nextDeadlineNs());
    }
    if (next > nowNs) {
      heldTimers.release();
    }
    if (state != ConnectionState.FORGOTTEN) {
      endpoint.deadline(this, next, nowNs);
    }
  }

  // ---- the sublayers, for a link's stages

  public PacketDoor wire() {
    return door;
  }

  /**
   * The window's stage: packets of set-up, liveness and close are taken here, the rest is the
   * window sublayer's.
   */
  public void onBurstAtWindow(PacketBurst burst, long atNs) {
    ControlStage control = loop.controlStage();
    boolean isAnyValid = false;
    for (int i = 0; i < burst.count() && state != ConnectionState.FORGOTTEN; i++) {
      if (!burst.isDropped(i)) {
        isAnyValid = true;
        control.onPacket(this, burst.buffer(i), burst.offset(i), burst.length(i), atNs);
      }
    }
    if (isAnyValid && state == ConnectionState.ESTABLISHED) {
      liveness.onReceived(atNs);
      stack().window.onBurst(burst, atNs);
    }
  }

  public void onBurstAtSolicitation(PacketBurst burst, long atNs) {
    if (state == ConnectionState.ESTABLISHED) {
      stack().solicitation.onBurst(burst, atNs);
    }
  }

  /**
   * What the stages below have made of a burst is told. Then it is read to its end, unless
   * something was thrown, or the connection says no more.
   */
  public void onBurstAtTransaction() {
    try {
      drain();
    } finally {
      dropBurst();
    }
  }

  private void dropBurst() {
    if (agreed != null) {
      sublayers.dropBurst();
    }
  }

  void onReset(long atNs) {
    nowNs = atNs;
    counters.increment(CounterId.RESETS_RECEIVED);
    closing.onReset(atNs);
    drain();
  }

  // ---- the application's verbs

  /** What the application may ask of the connection's transactions. */
  public ApplicationVerbs verbs() {
    return verbs;
  }

  /**
   * Takes no new transactions, lets what is outstanding end, and closes. {@code text} reaches the
   * peer's application.
   */
  public void close(int code, String text, long atNs) {
    nowNs = atNs;
    if (state == ConnectionState.CONNECTING) {
      end(new CloseReason(code, text, false), atNs);
      forget(atNs);
      drain();
    } else if (state == ConnectionState.ESTABLISHED) {
      closing.close(code, text, atNs);
      flush(atNs);
    }
  }

  /** Ends the connection now; what is outstanding ends by what is known of it. */
  public void abort(int code, String text, long atNs) {
    nowNs = atNs;
    if (state == ConnectionState.ESTABLISHED) {
      if (isReceiving || isPumping) {
        pendingAbort = new CloseReason(code, text, false); // not under a sublayer's feet
      } else {
        closing.abort(code, text, atNs);
        rearm();
        drain();
      }
    } else {
      close(code, text, atNs);
    }
  }

  /**
   * Ends and forgets the connection after a defect, whatever that has left half done. The peer is
   * told once, if that is still possible. Only outside all other calls of the connection.
   */
  public void endByDefect(long atNs) {
    nowNs = atNs;
    isReceiving = false;
    isPumping = false;
    CloseReason reason = CloseReason.of(CloseCode.INTERNAL_ERROR);
    try {
      if (state == ConnectionState.ESTABLISHED) {
        closing.sendLast(reason, atNs);
      }
    } finally {
      try {
        end(reason, atNs);
      } finally {
        forget(atNs);
        drain();
      }
    }
  }

  // ---- what it has to say

  /**
   * Takes the next thing that the connection has to say, in order, each once. To be called until it
   * answers false, after each call that changes the connection.
   *
   * @return false when there is nothing; then {@code into} is as it was
   */
  public boolean poll(OutboxEntry into) {
    return life.pollFirst(into) || agreed != null && sublayers.poll(into) || life.pollLast(into);
  }

  /**
   * Tells all of it. From inside a call of a listener: nothing, for what called that goes on. And
   * nothing once a listener has thrown, before the end that follows: what comes behind the message
   * over which it did must not be given out as if that had been taken. Nor after {@link #abort}.
   */
  void drain() {
    if (isDraining) {
      return;
    }
    isDraining = true;
    boolean isThrough = false;
    try {
      OutboxEntry entry = loop.entry();
      while (maySay() && poll(entry)) {
        bridge.tell(entry, agreed == null ? null : sublayers.solicitationInUse());
      }
      isThrough = true;
      if (state == ConnectionState.FORGOTTEN) {
        entry.clear(); // the loop's, which must not keep what was the connection's
      }
    } finally {
      isDraining = false;
      isBroken |= !isThrough;
    }
  }

  private boolean maySay() {
    return isEnded() || !isBroken && pendingAbort == null;
  }

  // ---- the end

  /**
   * Gives every transaction its end, and frees what the sublayers hold. Once; the id lives on until
   * forgotten.
   */
  void end(CloseReason reason, long atNs) {
    if (isEnded()) {
      return;
    }
    boolean wasEstablished = state == ConnectionState.ESTABLISHED;
    state = ConnectionState.ENDED;
    clientHandshake = null;
    timers.stopAllBut(Timer.CLOSE, Timer.CLOSE_LIMIT, Timer.LINGER);
    try {
      if (wasEstablished) {
        sublayers.end(reason, atNs);
      }
    } finally { // what a defect cuts off there must not keep the end from the application
      counters.increment(CounterId.CONNECTIONS_CLOSED);
      life.putClosed(reason);
      rearm();
    }
  }

  void forget(long atNs) {
    if (state != ConnectionState.FORGOTTEN) {
      state = ConnectionState.FORGOTTEN;
      timers.stopAll();
      counters.leave();
      endpoint.forget(this, atNs);
      life.put(Kind.FORGOTTEN);
    }
  }

  void transmitControl(int length, long atNs) {
    transmitControl(length, 0, atNs);
  }

  void transmitControl(int length, int pathIndex, long atNs) {
    PacketBurst burst = loop.control();
    burst.add(loop.packets().buffer(), 0, length, pathIndex, PacketBurst.TRANSIENT);
    counters.increment(CounterId.DATAGRAMS_SENT);
    link.transmit(burst, atNs);
    burst.clear();
  }

  // ---- what others may know

  public boolean isEstablished() {
    return state == ConnectionState.ESTABLISHED;
  }

  /** Whether the application has been told of the end. */
  public boolean isEnded() {
    return state == ConnectionState.ENDED || state == ConnectionState.FORGOTTEN;
  }

  /** What was agreed; null before the connection is established. */
  public AgreedParameters agreed() {
    return agreed;
  }

  /** UDP payload of the longest packet that it sends now; 0 before it is established. */
  public int datagramLengthBytes() {
    return agreed == null ? 0 : sublayers.datagramLengthBytes(agreed);
  }

  public ConnectionConfig config() {
    return config;
  }

  /** The peer's address, which may change. */
  public InetSocketAddress remote() {
    return peerAddress.current();
  }

  /**
   * Where outbound packets of this path index go: other than 0 only while it is asked whether the
   * peer has moved.
   */
  public InetSocketAddress remote(int pathIndex) {
    return peerAddress.at(pathIndex);
  }

  /**
   * How long {@code bound} has held this side's sending until {@code atNs}, in ns. On its event
   * loop.
   */
  public long heldNs(Bound bound, long atNs) {
    return agreed == null ? 0 : sublayers.heldNs(bound, atNs);
  }

  /**
   * What is in flight because the path is long, bytes: as much again may wait to follow it. 0 on a
   * fast path.
   */
  public long longPathBytes() {
    return agreed == null ? 0 : sublayers.longPathBytes();
  }

  public Counters counters() {
    return counters;
  }

  /** Null before the connection is established. */
  public WindowSublayer window() {
    return agreed == null ? null : stack().window;
  }

  /** Null before the connection is established. */
  public SolicitationSublayer solicitation() {
    return agreed == null ? null : stack().solicitation;
  }

  /** Null before the connection is established. */
  public TransactionSublayer transaction() {
    return agreed == null ? null : stack().transaction;
  }

  /** Our own id: what packets to us name. */
  public int cid() {
    return cid;
  }

  long cookie() {
    return cookie;
  }

  int peerCid() {
    return peerCid;
  }

  long peerCookie() {
    return peerCookie;
  }

  long peerIncarnation() {
    return peerIncarnation;
  }

  ClientHandshake clientHandshake() {
    return clientHandshake;
  }

  Liveness liveness() {
    return liveness;
  }

  /** See {@link ApplicationVerbs#keepalive}. */
  void keepalive(boolean isWanted) {
    isKeepalive = isWanted;
    if (state == ConnectionState.ESTABLISHED) {
      liveness.keepalive(isWanted, nowNs);
    }
  }

  /** How long a submission waits for others to share its packet, at the most; 0 = it does not. */
  int flushWindowNs() {
    return flushWindowNs;
  }

  /** See {@link ApplicationVerbs#flushWindow}. */
  void flushWindowNs(int windowNs) {
    flushWindowNs = windowNs;
    if (sublayers != null) {
      sublayers.flushWindowNs(windowNs);
    }
  }

  /** See {@link ApplicationVerbs#takesWhole}. */
  int wholeLengthMax() {
    return wholeLengthMax;
  }

  /** See {@link ApplicationVerbs#takesWhole}. */
  void wholeLengthMax(int lengthBytes) {
    wholeLengthMax = lengthBytes;
    if (sublayers != null) {
      sublayers.wholeLengthMax(lengthBytes);
    }
  }

  Link link() {
    return link;
  }

  Closing closing() {
    return closing;
  }

  LifeEntries life() {
    return life;
  }

  SplittableRandom random() {
    return random;
  }

  ConnectionTimers timers() {
    return timers;
  }

  ControlPackets packets() {
    return loop.packets();
  }

  SublayerStack stack() {
    return sublayers.get(nowNs);
  }

  SublayerStack newStack() {
    return new SublayerStack(this, loop, endpoint, link, sink, transactions, random);
  }

  /** What it waits for: its timers, with what each had left when the connection was last called. */
  public String waitsFor() {
    return timers.toString(nowNs) + (agreed == null ? "" : closing.toString());
  }

  @Override
  public String toString() {
    return "Connection[cid=" + Integer.toHexString(cid) + " to " + remote() + ' ' + state + ']';
  }
}
