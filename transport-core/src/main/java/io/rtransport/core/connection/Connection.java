package io.rtransport.core.connection;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.connection.ConnectionTimers.Timer;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.outcome.SendFailure;
import io.rtransport.core.parameter.AgreedParameters;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.rail.Nid;
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
import io.rtransport.core.wire.PacketDoor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.SplittableRandom;

/**
 * One connection: calls its sublayers in the right order.
 *
 * <p>The connection never calls its driver: it only answers. The driver calls in this order, on the
 * event loop of the {@link Endpoint}.
 *
 * <pre>
 *   receive, onTimeout, the verbs   change what the connection has to say and to send
 *   poll                            gives the next entry, until it returns false
 *   pollTransmit                    gives the next packets, until it returns null: one turn
 * </pre>
 *
 * <p>After each call of the first row the driver polls, then transmits. It repeats both as long as
 * there is anything. The driver may receive several bursts of one read batch before it transmits.
 * It polls each of them to its end.
 *
 * <p>This class holds the sequence and no decisions. {@link ClientHandshake} decides about set-up,
 * at the target {@link ServerHandshake}. {@link Closing} decides about the end, {@link Liveness}
 * about silence, and {@link PeerPaths} about the paths to the peer.
 */
public final class Connection extends ConnectionEnds {
  /** How far the turn of {@link #pollTransmit} has come. */
  private enum Turn {
    NEXT,
    SENDING,
    OVER
  }

  private final Endpoint endpoint;
  private final LoopResources loop;
  final PeerPaths peerPaths;
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
  Sublayers sublayers;
  long establishedNs;
  private Turn turn = Turn.NEXT;
  private boolean isTransmitting;
  private boolean isKeepalive;
  private int flushWindowNs;
  private int wholeLengthMax = -1;
  private long nowNs;

  Connection(
      Endpoint endpoint,
      LoopResources loop,
      ConnectionConfig config,
      Pair first,
      int cid,
      long cookie,
      long seed) {
    super(config, cid, cookie);
    this.endpoint = endpoint;
    this.loop = loop;
    this.isKeepalive = config.isKeepalive();
    this.flushWindowNs = (int) config.flushWindowNs();
    this.random = new SplittableRandom(seed);
    this.counters = new Counters(loop.counters());
    this.peerPaths = new PeerPaths(this, first);
    this.door = new PacketDoor(loop.validator(), counters, cid, cookie);
    this.closing = new Closing(this);
  }

  // ---- set-up

  /**
   * Gives the connection its driver. Called once, before the connection is polled.
   *
   * @param driver the object that {@link #attachment} returns; not null
   * @param pushSupplier the pushes that the application has ready without submitting them
   * @param lengthMax bytes of the longest datagram that the port sends in one piece, never as
   *     fragments; 0: no length is known to pass
   */
  public void attach(Object driver, PushSupplier pushSupplier, int lengthMax) {
    attachment = driver;
    ready = pushSupplier;
    datagramLengthMax = lengthMax;
  }

  /** Returns the driver that {@link #attach} was given; null before. */
  public Object attachment() {
    return attachment;
  }

  void initiate(OfferedParameters own, long startNs) {
    nowNs = startNs;
    becomeInitiator();
    clientHandshake = new ClientHandshake(this, own, endpoint.incarnation(), random);
    timers.set(Timer.CONNECT, startNs);
    timers.set(Timer.CONNECT_LIMIT, startNs + config().connectTimeoutNs());
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
    agree(toCid, toCookie, incarnation, endpoint.shared(parameters));
    state = ConnectionState.ESTABLISHED;
    clientHandshake = null;
    sublayers = new Sublayers(this, roundTripNs);
    liveness = new Liveness(this, parameters, isKeepalive, atNs);
    peerPaths.start(atNs);
    endpoint.onEstablished(this, askedNs, atNs);
    counters.increment(CounterId.CONNECTIONS_ESTABLISHED);
    life.put(Kind.ESTABLISHED);
  }

  // ---- what comes in

  /**
   * Takes in one burst, from the door up to solicitation. Its packets must stay in place until
   * {@link #poll} has returned false or {@link #dropBurst} was called.
   */
  public void receive(PacketBurst burst, long atNs) {
    door.onBurst(burst, atNs);
    onBurstAtWindow(burst, atNs);
    onBurstAtSolicitation(burst, atNs);
  }

  /** Drops the unread rest of the last burst: its packets are about to be reused. */
  public void dropBurst() {
    if (agreed != null) {
      sublayers.dropBurst();
    }
  }

  /**
   * Notes that the system did not send a packet of a path. This is only a hint: the path is asked
   * by PING. If nobody listens at the peer's address of any path, {@link Liveness} asks the peer.
   */
  public void onSendFailed(int pathIndex, SendFailure failure, long atNs) {
    nowNs = atNs;
    if (state == ConnectionState.ESTABLISHED) {
      peerPaths.onSendFailed(pathIndex, failure, atNs);
      if (failure == SendFailure.NO_LISTENER) {
        liveness.onUnreachable(pathIndex, atNs);
      }
      rearm();
    }
  }

  /**
   * Handles the end of one of this side's interfaces: its paths are closed, but never the last one.
   */
  public void onInterfaceGone(int ni, long atNs) {
    nowNs = atNs;
    if (state == ConnectionState.ESTABLISHED) {
      peerPaths.closeBy(ni, atNs);
    }
  }

  /**
   * Gives back what it holds of the node's rail health. Its event loop has ended, so it is never
   * forgotten, and nothing else of it is called any more. Any thread.
   */
  public void onLoopEnded() {
    peerPaths.closeHealths();
  }

  /** Handles the return of one of this side's interfaces: paths may be opened there again. */
  public void onInterfaceBack(int ni) {
    peerPaths.enter(ni);
  }

  /**
   * Handles the deadline of this connection, which {@link Endpoint#pollExpired} reported.
   *
   * @param mayHaveUnread whether received packets of this connection may lie unread below. The
   *     timers may be waiting for one of them. So they do nothing now and are checked again soon,
   *     for 100 ms at the most. Packets that this side owes the peer still leave: otherwise the
   *     peer's timers would expire because of ours
   */
  public void onTimeout(boolean mayHaveUnread, long atNs) {
    nowNs = atNs;
    if (heldTimers.mustWait(mayHaveUnread, counters, atNs)) {
      return;
    }
    heldTimers.release();
    if (clientHandshake != null && timers.expire(Timer.CONNECT_LIMIT, atNs)) {
      clientHandshake.onConnectTimeout(atNs);
      end(CloseReason.of(CloseCode.CONNECT_TIMEOUT), atNs);
      forget(atNs);
      return;
    }
    peerPaths.onTimeout(atNs);
    if (state == ConnectionState.ESTABLISHED) {
      sublayers.onTimeout(atNs);
      if (sublayers.isPortDoubtful(peerPaths.first())) {
        peerPaths.onPortDoubted(atNs);
      }
      liveness.onTimeout(atNs);
    }
    closing.onTimeout(atNs);
  }

  // ---- what goes out

  /**
   * Gives the next packets to send, each by {@link #ni(int)} to {@link #remote(int)} of its path.
   * The driver calls until this returns null, which ends the turn and sets the next deadline.
   *
   * @param room one bit for each path: whether the port below takes a packet. Unnumbered packets
   *     are few and come without room too
   * @return packets, valid until the next call of this or another connection of the loop; null: no
   *     more
   */
  public PacketBurst pollTransmit(int room, long atNs) {
    nowNs = atNs;
    PacketBurst out = loop.control().take(this);
    if (out == null && turn != Turn.OVER) {
      isTransmitting = true;
      try {
        out = advance(room, atNs);
      } finally {
        isTransmitting = false;
      }
    }
    if (out == null) {
      turn = Turn.NEXT;
      peerPaths.onTransmitted();
    } else {
      counters.add(CounterId.DATAGRAMS_SENT, out.count());
      peerPaths.countSent(out);
    }
    return out;
  }

  /**
   * Returns whether {@link #pollTransmit} is being called. Then a {@link PayloadSource} or {@link
   * PushSupplier} may be at work, and must not call the verbs, except those that it names.
   */
  public boolean isTransmitting() {
    return isTransmitting;
  }

  private PacketBurst advance(int room, long atNs) {
    if (turn == Turn.NEXT) {
      beginTurn(atNs);
    } else if ((room & peerPaths.openMask()) == 0) {
      turn = Turn.OVER; // the ports are full
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

  /** Ends the turn: everything that could be transmitted was transmitted. */
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
      peerPaths.advance(atNs);
      sublayers.dropUntouched();
    }
    rearm();
  }

  private void settle(SublayerStack with, int room, long atNs) {
    with.solicitation.onTransmitted();
    with.judgeBound((room & peerPaths.openMask()) != 0, atNs);
    with.turnEnd.send(atNs);
  }

  /** Ends the connection if a sublayer reports a failure. */
  private void judge(long atNs) {
    CloseReason failure = sublayers.failure();
    if (failure != null) {
      failWith(failure, atNs);
    }
  }

  /** Ends and forgets the connection for this side's own reason. The peer is told once. */
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

  // ---- the stages of receive, for a driver that calls other code between them

  public PacketDoor wire() {
    return door;
  }

  /**
   * Runs the window's stage. {@link ControlStage} takes the packets of set-up, liveness and close.
   * The window sublayer takes the rest.
   */
  public void onBurstAtWindow(PacketBurst burst, long atNs) {
    nowNs = atNs;
    ControlStage control = endpoint.controlStage();
    boolean isAnyValid = false;
    boolean isForWindow = false;
    for (int i = 0; i < burst.count() && state != ConnectionState.FORGOTTEN; i++) {
      if (!burst.isDropped(i)) {
        isAnyValid = true;
        peerPaths.countReceived(burst.pathIndex(i), burst.length(i));
        isForWindow |= !control.onPacket(this, burst, i, atNs);
      }
    }
    if (isAnyValid && state == ConnectionState.ESTABLISHED) {
      liveness.onReceived(atNs);
      if (isForWindow) {
        stack().window.onBurst(burst, atNs);
        if (stack().window.takeUnheard()) {
          peerPaths.onPortDoubted(atNs);
        }
      }
    }
  }

  public void onBurstAtSolicitation(PacketBurst burst, long atNs) {
    if (state == ConnectionState.ESTABLISHED && sublayers.inUse() != null) {
      sublayers.inUse().solicitation.onBurst(burst, atNs);
    }
  }

  void onReset(long atNs) {
    nowNs = atNs;
    counters.increment(CounterId.RESETS_RECEIVED);
    closing.onReset(atNs);
  }

  // ---- the application's verbs

  /** Returns the calls by which the application uses the connection's transactions. */
  public ApplicationVerbs verbs() {
    return verbs;
  }

  /**
   * Closes: takes no new transactions, waits for the open ones to end, then ends the connection.
   * The peer's application gets {@code text}.
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

  /** Ends the connection now. Each open transaction ends with the outcome that is known of it. */
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
   * Ends and forgets the connection after a defect, even if its state is inconsistent. The peer is
   * told once, if possible. Must not be called from inside another call of the connection.
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

  // ---- entries for the application

  /**
   * Takes the next entry for the application. Entries come in order, each once. After {@link
   * #abort} only the final entries are left.
   *
   * @return false when there is none; then {@code into} is unchanged
   */
  public boolean poll(OutboxEntry into) {
    return life.pollFirst(into) || agreed != null && sublayers.poll(into) || pollLast(into);
  }

  private boolean pollLast(OutboxEntry into) {
    if (state == ConnectionState.ESTABLISHED && sublayers.inUse() != null) {
      SublayerStack with = sublayers.inUse();
      with.peerFin.follow(with.solicitation, with.transaction);
    }
    return life.pollLast(into, state == ConnectionState.FORGOTTEN && loop.control().has(this));
  }

  // ---- the end

  /**
   * Ends every transaction and frees the sublayers' resources. Only the first call acts. The
   * connection id stays in use until {@link #forget}.
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
    } finally { // a defect in the sublayers must not hide the end from the application
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

  /** Sends a PING on a path. */
  void ping(int id, int pathIndex, long atNs) {
    counters.increment(CounterId.PINGS_SENT);
    int pathId = peerPaths.path(pathIndex).id();
    transmitControl(loop.packets().ping(peerCid(), peerCookie(), id, pathId), pathIndex, atNs);
  }

  void transmitControl(int length, int pathIndex, long atNs) {
    loop.control().add(this, counters, loop.packets().buffer(), length, pathIndex);
  }

  // ---- what other classes may read

  public boolean isEstablished() {
    return state == ConnectionState.ESTABLISHED;
  }

  /** Returns whether the connection has ended. An entry CLOSED tells the application. */
  public boolean isEnded() {
    return state == ConnectionState.ENDED || state == ConnectionState.FORGOTTEN;
  }

  /**
   * Returns the UDP payload of the longest packet that this side sends now, bytes; 0 before the
   * connection is established.
   */
  public int datagramLengthBytes() {
    return agreed == null ? 0 : sublayers.datagramLengthBytes(agreed());
  }

  /** Returns the peer's address of the first open path, which may change. */
  public InetSocketAddress remote() {
    return peerPaths.remote(peerPaths.first());
  }

  /**
   * Returns the destination of outbound packets with this path index. An index of 8 or more occurs
   * only while the connection opens a path or checks whether the peer has moved.
   */
  public InetSocketAddress remote(int pathIndex) {
    return peerPaths.remote(pathIndex);
  }

  /** Returns the index of the interface by which packets with this path index leave. */
  public int ni(int pathIndex) {
    return peerPaths.ni(pathIndex);
  }

  /**
   * Returns the interfaces of an initiator over which paths are open or are being opened, a bit for
   * each index.
   */
  public long nis() {
    return peerPaths.nis();
  }

  /** Notes the address of an interface that the driver has opened for a told address. */
  public void localAddress(int ni, InetAddress address) {
    peerPaths.localAddress(ni, address);
  }

  /**
   * Returns the addresses that the peer of an initiator has told and not taken back, at most {@link
   * Limits#NIDS_MAX}. They may be somebody else's: only one that an open path leads to has
   * answered. An entry PEER_CHANGED tells of a change.
   */
  public List<InetSocketAddress> toldAddresses() {
    return peerPaths.told();
  }

  /**
   * Lets an initiator with one path take another source port when nothing gets through from its
   * own. The path's packets then leave by an interface with a new number. An entry PORT_CHANGED
   * comes first. The driver opens a socket for that number, on the same local address and to the
   * same peer, and closes it when {@link #nis} no longer has it. Call before the first {@link
   * #pollTransmit}.
   */
  public void allowNewPorts() {
    peerPaths.allowNewPorts();
  }

  /** Notes that the driver cannot open a socket for the new port: the former one is used again. */
  public void onPortRefused() {
    peerPaths.onPortRefused(nowNs);
  }

  /** Returns the open paths, a bit for each index. */
  public int openPaths() {
    return peerPaths.openMask();
  }

  /** Returns the open paths that take packets: they have answered, and are not suspect. */
  public int usablePaths() {
    return peerPaths.openMask() & (agreed == null ? 0 : sublayers.usablePaths());
  }

  /**
   * Tells the peer that this side has a network interface more, or one less. Only the target of a
   * connection tells, and only a peer that knows rails is told. Its driver transmits afterwards.
   *
   * @return false if it is not told: also if too many changes wait for their acknowledgement
   */
  public boolean tellNi(boolean isAdded, Nid nid, long atNs) {
    nowNs = atNs;
    return state == ConnectionState.ESTABLISHED
        && !isInitiator()
        && hasRails()
        && stack().solicitation.tellNi(isAdded, nid.toString());
  }

  Endpoint endpoint() {
    return endpoint;
  }

  /**
   * Returns whether the peer may be gone: a PING is unanswered for 50 ms if the network refused
   * one, else for 250 ms, and in both cases for at least two round trips. The connection goes on.
   * Call on the connection's event loop.
   *
   * @param atNs now, ns, by the clock that the connection's other times have
   */
  public boolean isInDoubt(long atNs) {
    SublayerStack stack = state == ConnectionState.ESTABLISHED ? sublayers.inUse() : null;
    return state == ConnectionState.ESTABLISHED
        && liveness.isInDoubt(stack == null ? 0 : stack.window.totals().smoothedRttNs(), atNs);
  }

  /**
   * Returns how long {@code bound} has held back this side's sending until {@code atNs}, ns. Call
   * on the connection's event loop.
   */
  public long heldNs(Bound bound, long atNs) {
    return agreed == null ? 0 : sublayers.heldNs(bound, atNs);
  }

  /**
   * Returns the bytes in flight that only the length of the path requires. As many more bytes may
   * wait to follow them. 0 on a fast path.
   */
  public long longPathBytes() {
    return agreed == null ? 0 : sublayers.longPathBytes();
  }

  public Counters counters() {
    return counters;
  }

  /** Returns the window sublayer; null before the connection is established. */
  @SuppressWarnings("exports") // for the modules that drive the core
  public WindowSublayer window() {
    return agreed == null ? null : stack().window;
  }

  /** Returns the solicitation sublayer; null before the connection is established. */
  @SuppressWarnings("exports") // for the modules that drive the core
  public SolicitationSublayer solicitation() {
    return agreed == null ? null : stack().solicitation;
  }

  /**
   * Returns whether the peer closes: it takes no transaction that begins from now on. Only for an
   * established connection.
   */
  public boolean isPeerClosing() {
    return sublayers.isPeerClosing();
  }

  /** Returns the transaction sublayer; null before the connection is established. */
  public TransactionSublayer transaction() {
    return agreed == null ? null : stack().transaction;
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

  /**
   * Returns how long a submission waits at the most for others to share its packet, ns; 0: it does
   * not wait.
   */
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

  /** Returns the timers that are set, each with the time that was left at the last call. */
  public String waitsFor() {
    return timers.toString(nowNs) + (agreed == null ? "" : closing.toString());
  }

  @Override
  public String toString() {
    return "Connection[cid=" + Integer.toHexString(cid()) + " to " + remote() + ' ' + state + ']';
  }
}
