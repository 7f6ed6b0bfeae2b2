package io.rtransport.core.connection;

import io.rtransport.core.connection.ConnectionTimers.Timer;
import io.rtransport.core.parameter.AgreedParameters;
import io.rtransport.core.solicitation.SolicitationSublayer;
import io.rtransport.core.stats.Bound;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.OutboxEntry.Kind;
import io.rtransport.core.transaction.PushSupplier;
import io.rtransport.core.transaction.TransactionSublayer;
import io.rtransport.core.window.WindowSublayer;
import io.rtransport.core.wire.CloseCode;
import io.rtransport.core.wire.PacketBurst;
import io.rtransport.core.wire.PacketDoor;
import java.net.InetSocketAddress;
import java.util.SplittableRandom;

/**
 * One connection: where its sublayers meet, and the one place that says in which order they are
 * called. It answers and never calls: whoever drives it calls in this order, and stays on the event
 * loop of its {@link Endpoint}.
 *
 * <pre>
 *   receive, onTimeout, the verbs   change what is to be said and sent
 *   poll                            gives what there is to say, until it answers false
 *   pollTransmit                    gives what there is to send, until it answers null: one turn
 * </pre>
 *
 * After each call of the first row the driver polls, then transmits, and polls again as long as
 * there is anything. Several bursts of one read batch may be received before it transmits, each
 * polled to its end.
 *
 * <p>It holds that sequence, no decisions: set-up is {@link ClientHandshake}'s (at the target
 * {@link ServerHandshake}'s), the end {@link Closing}'s, silence {@link Liveness}'s, where the peer
 * is {@link PeerAddress}'s.
 */
public final class Connection {
  /** How far the turn of {@link #pollTransmit} has come. */
  private enum Turn {
    NEXT,
    SENDING,
    OVER
  }

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
  private final LifeEntries life = new LifeEntries();
  private final HeldTimers heldTimers = new HeldTimers();
  private ConnectionState state = ConnectionState.CONNECTING;
  private ClientHandshake clientHandshake;
  private Liveness liveness;
  private Object attachment;
  private PushSupplier ready = PushSupplier.NEVER;
  private int datagramLengthMax = Limits.PACKET_LENGTH_MAX;
  private AgreedParameters agreed;
  private int peerCid;
  private long peerCookie;
  private long peerIncarnation;
  Sublayers sublayers;
  long establishedNs;
  private Turn turn = Turn.NEXT;
  private boolean isKeepalive;
  private int flushWindowNs;
  private int wholeLengthMax = -1;
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

  /**
   * Gives the connection its driver. Before it is polled, once.
   *
   * @param driver comes back from {@link #attachment}; not null
   * @param pushSupplier what the application has ready without submitting it
   * @param lengthMax the longest datagram that the port below can send in one piece, never as
   *     fragments, bytes; 0: nothing is known of any
   */
  public void attach(Object driver, PushSupplier pushSupplier, int lengthMax) {
    attachment = driver;
    ready = pushSupplier;
    datagramLengthMax = lengthMax;
  }

  /** What {@link #attach} was given; null before. */
  public Object attachment() {
    return attachment;
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
    agreed = endpoint.shared(parameters);
    state = ConnectionState.ESTABLISHED;
    clientHandshake = null;
    sublayers = new Sublayers(this, roundTripNs);
    liveness = new Liveness(this, parameters, isKeepalive, atNs);
    endpoint.onEstablished(this, askedNs, atNs);
    counters.increment(CounterId.CONNECTIONS_ESTABLISHED);
    life.put(Kind.ESTABLISHED);
  }

  // ---- what comes in

  /**
   * Carries one burst up. Its packets stay where they are until {@link #poll} has answered false,
   * or {@link #dropBurst} was called.
   */
  public void receive(PacketBurst burst, long atNs) {
    door.onBurst(burst, atNs);
    onBurstAtWindow(burst, atNs);
    onBurstAtSolicitation(burst, atNs);
  }

  /** What was not read of the last burst is read no more: its packets are about to go. */
  public void dropBurst() {
    if (agreed != null) {
      sublayers.dropBurst();
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
    }
  }

  /**
   * Its deadline has come: {@link Endpoint#pollExpired} named it.
   *
   * @param mayHaveUnread whether packets for it that have come in may lie unread below. One of them
   *     may be what its timers wait for: so these do nothing, and are asked again soon, but for 100
   *     ms at the most. What it owes the peer leaves all the same, or the peer's timers would
   *     expire for ours
   */
  public void onTimeout(boolean mayHaveUnread, long atNs) {
    nowNs = atNs;
    if (heldTimers.mustWait(mayHaveUnread, counters, atNs)) {
      return;
    }
    heldTimers.release();
    if (clientHandshake != null && timers.expire(Timer.CONNECT_LIMIT, atNs)) {
      end(CloseReason.of(CloseCode.CONNECT_TIMEOUT), atNs);
      forget(atNs);
      return;
    }
    peerAddress.onTimeout(atNs);
    if (state == ConnectionState.ESTABLISHED) {
      sublayers.onTimeout(atNs);
      liveness.onTimeout(atNs);
    }
    closing.onTimeout(atNs);
  }

  // ---- what goes out

  /**
   * Gives the next packets to be sent, to {@link #remote(int)} of the path of each; called until it
   * answers null, which ends the turn and sets the next deadline.
   *
   * @param room a bit for each path: whether the port below it takes a packet. Unnumbered packets,
   *     which are few, come without it too
   * @return valid until the next call of this or another connection of the loop; null: no more
   */
  public PacketBurst pollTransmit(int room, long atNs) {
    nowNs = atNs;
    PacketBurst out = loop.control().take(this);
    if (out == null && turn != Turn.OVER) {
      out = advance(room, atNs);
    }
    if (out == null) {
      turn = Turn.NEXT;
    } else {
      counters.add(CounterId.DATAGRAMS_SENT, out.count());
    }
    return out;
  }

  private PacketBurst advance(int room, long atNs) {
    if (turn == Turn.NEXT) {
      beginTurn(atNs);
    } else if ((room & 1) == 0) {
      turn = Turn.OVER; // the port has taken what it could
    }
    if (turn == Turn.SENDING && state == ConnectionState.ESTABLISHED) {
      PacketBurst out = loop.outbound();
      out.clear();
      sublayers.inUse().window.pollTransmit(out, sublayers.inUse().solicitation, room, atNs);
      if (out.count() > 0) {
        return out;
      }
    }
    endTurn(room, atNs);
    return loop.control().take(this);
  }

  private void beginTurn(long atNs) {
    turn = Turn.OVER;
    if (state == ConnectionState.ESTABLISHED && sublayers.inUse() != null) {
      SublayerStack with = sublayers.inUse();
      with.solicitation.onTransmitting(with.window.hasAckDue(atNs), atNs);
      turn = Turn.SENDING;
    } else if (clientHandshake != null && timers.expire(Timer.CONNECT, atNs)) {
      clientHandshake.send(atNs);
    }
  }

  /** All that could be transmitted has been: what follows from that. */
  private void endTurn(int room, long atNs) {
    turn = Turn.OVER;
    if (state == ConnectionState.ESTABLISHED && sublayers.inUse() != null) {
      settle(sublayers.inUse(), room, atNs);
    }
    if (state == ConnectionState.ESTABLISHED) {
      judge(atNs);
    }
    if (state == ConnectionState.ESTABLISHED) {
      liveness.advance(atNs);
      closing.advance(atNs);
    }
    if (state == ConnectionState.ESTABLISHED) {
      sublayers.dropUntouched();
    }
    rearm();
  }

  private void settle(SublayerStack with, int room, long atNs) {
    with.solicitation.onTransmitted();
    with.judgeBound((room & 1) != 0, atNs);
    PathProbes.advance(this, endpoint, with.window, atNs);
    if (with.window.hasAckDue(atNs)) {
      with.window.creditLimitBytes(with.solicitation.creditLimitBytes());
      transmitControl(with.window.pollAck(loop.packets().buffer(), 0, atNs), atNs);
    }
  }

  /** Ends the connection if a sublayer says that it must. */
  private void judge(long atNs) {
    CloseReason failure = sublayers.failure();
    if (failure != null) {
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
    } else if (heldTimers.isPutOff(nowNs)) {
      next = nowNs + Endpoint.LOOK_AGAIN_NS;
    }
    if (state != ConnectionState.FORGOTTEN) {
      endpoint.deadline(this, next, nowNs);
    }
  }

  // ---- the stages of receive, for a driver that puts something between them

  public PacketDoor wire() {
    return door;
  }

  /**
   * The window's stage: packets of set-up, liveness and close are taken here, the rest is the
   * window sublayer's.
   */
  public void onBurstAtWindow(PacketBurst burst, long atNs) {
    nowNs = atNs;
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

  void onReset(long atNs) {
    nowNs = atNs;
    counters.increment(CounterId.RESETS_RECEIVED);
    closing.onReset(atNs);
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
    } else if (state == ConnectionState.ESTABLISHED) {
      closing.close(code, text, atNs);
    }
  }

  /** Ends the connection now; what is outstanding ends by what is known of it. */
  public void abort(int code, String text, long atNs) {
    nowNs = atNs;
    if (state == ConnectionState.ESTABLISHED) {
      closing.abort(code, text, atNs);
      rearm();
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
    turn = Turn.NEXT;
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
      }
    }
  }

  // ---- what it has to say

  /**
   * Takes the next thing that the connection has to say, in order, each once. After {@link #abort}
   * these are the last entries only.
   *
   * @return false when there is nothing; then {@code into} is as it was
   */
  public boolean poll(OutboxEntry into) {
    return life.pollFirst(into) || agreed != null && sublayers.poll(into) || pollLast(into);
  }

  private boolean pollLast(OutboxEntry into) {
    if (state == ConnectionState.ESTABLISHED && sublayers.inUse() != null) {
      sublayers.inUse().peerFin.follow(sublayers.inUse());
    }
    return life.pollLast(into, state == ConnectionState.FORGOTTEN && loop.control().has(this));
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
    loop.control().add(this, loop.packets().buffer(), length, pathIndex);
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
  @SuppressWarnings("exports") // for the modules that drive the core
  public WindowSublayer window() {
    return agreed == null ? null : stack().window;
  }

  /** Null before the connection is established. */
  @SuppressWarnings("exports") // for the modules that drive the core
  public SolicitationSublayer solicitation() {
    return agreed == null ? null : stack().solicitation;
  }

  /** Whether the peer takes nothing any more that is not with it. Of one that is established. */
  public boolean isPeerClosing() {
    return solicitation().isPeerClosing();
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

  int datagramLengthMax() {
    return datagramLengthMax;
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
    return new SublayerStack(this, loop, endpoint, ready, random);
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
