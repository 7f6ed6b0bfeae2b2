package io.rtransport.netty.node;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Ticker;
import io.rtransport.core.rail.NiError;
import io.rtransport.netty.facade.RtConnection;
import io.rtransport.netty.internal.stat.RouterReport;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;

/**
 * The next hop of a router towards one destination: its connection, made when a message wants it,
 * and how many large messages are on their way there. A message waits for room of its own next hop
 * only; so two routers that forward to each other never wait in a circle. A next router that does
 * not answer is left as soon as an origin leaves one. Any thread.
 */
final class NextHop implements RouterWatch.Owner {
  /** Large pushes that are on their way to one destination, half of them of one origin. */
  static final int LARGE_MAX = 16;

  /**
   * Pulls of large answers that one destination has not answered whole, half of them of one origin.
   * More than pushes: until its answer comes, a pull holds nothing. A destination that answers late
   * holds back no push.
   */
  static final int LARGE_PULLS_MAX = 64;

  /** Bytes of the longest message that needs no room: their senders' credit bounds them. */
  static final long SMALL_BYTES_MAX = 16 << 10;

  /** Messages that wait for the connection, or for room; half of them of one origin. */
  static final int WAITING_MAX = 4_096;

  /**
   * A message that asks for room.
   *
   * @param lengthBytes its longest length, or that of its answer
   */
  record Claim(String origin, boolean isPull, long lengthBytes) {
    boolean isLarge() {
      return lengthBytes > SMALL_BYTES_MAX;
    }
  }

  private record Waiter(Claim claim, Runnable again) {}

  /** What {@link #offer} answers. */
  enum Room {
    /**
     * Go on, over {@link #connectionOrLeave}; a large one must {@link #leave} once it has passed.
     */
    FREE,
    /** Ask again when told. */
    WAIT,
    /** There is no way on now. */
    NONE
  }

  /** A message that is on its way by the next hop. */
  interface Passing {
    /** Gives it up, because the next hop does not answer, if it does no harm to send it again. */
    void giveUp();
  }

  private final NodeContext node;
  private final Ways ways;
  private final RouterWatch watch;
  private final Map<Passing, RtConnection> passing = new HashMap<>();

  private final LargeRoom largePushes = new LargeRoom(LARGE_MAX);
  private final LargeRoom largePulls = new LargeRoom(LARGE_PULLS_MAX);
  private final LargeRoom places = new LargeRoom(WAITING_MAX);
  private final List<Waiter> waiting = new LinkedList<>(); // each has one of the places
  private RtConnection connection;
  private boolean isConnecting;
  private boolean isResting;
  private long restsUntilNs;

  NextHop(NodeContext node, Ways ways, EventLoop home) {
    this.node = node;
    this.ways = ways;
    this.watch = new RouterWatch(home, this);
  }

  private static long nowNs() {
    return Ticker.systemTicker().nanoTime(); // as the health of interfaces has it
  }

  /**
   * Asks for room for a message.
   *
   * @param again told once when it should ask again, for {@link Room#WAIT}
   */
  Room offer(Claim claim, Runnable again) {
    PeerConfig to;
    synchronized (this) {
      if (connection != null && isFree(claim)) {
        if (claim.isLarge()) {
          roomOf(claim).take(claim.origin());
        }
        return Room.FREE;
      }
      to = connection == null && !isConnecting ? wayOn() : null;
      boolean isHopeless = connection == null && !isConnecting && to == null;
      if (isHopeless || !places.isFree(claim.origin())) {
        return Room.NONE;
      }
      places.take(claim.origin());
      waiting.add(new Waiter(claim, again));
      isConnecting |= to != null;
    }
    if (to != null) {
      node.connect(to).whenComplete(this::onConnected);
    }
    return Room.WAIT;
  }

  private LargeRoom roomOf(Claim claim) {
    return claim.isPull() ? largePulls : largePushes;
  }

  private boolean isFree(Claim claim) {
    return !claim.isLarge() || roomOf(claim).isFree(claim.origin());
  }

  private PeerConfig wayOn() {
    long nowNs = nowNs();
    if (isResting && nowNs - restsUntilNs < 0) {
      return null;
    }
    isResting = false;
    return ways.choose(nowNs, Map.of());
  }

  private void onConnected(RtConnection made, Throwable failure) {
    synchronized (this) {
      isConnecting = false;
      if (failure == null) {
        connection = made;
        ways.onWay(made.remoteAddress(), nowNs());
      } else {
        rest(failure);
      }
    }
    if (failure == null) {
      made.closed().whenComplete((why, none) -> onClosed(made));
    }
    wake();
  }

  private void onClosed(RtConnection ended) {
    boolean wasSilent = false;
    synchronized (this) {
      if (connection == ended) {
        connection = null;
        wasSilent = ways.onLost(ended.closeReason(), nowNs());
      }
    }
    if (wasSilent) {
      connectOn();
    }
    wake();
  }

  /**
   * Connects by another way at once, if there is one: what the silent next hop carried comes again
   * after a rest of the origin's, when this one's rest will be over, too.
   */
  private void connectOn() {
    PeerConfig to;
    synchronized (this) {
      to = ways.isRouted() && connection == null && !isConnecting ? wayOn() : null;
      isConnecting |= to != null;
    }
    if (to != null) {
      node.connect(to).whenComplete(this::onConnected);
    }
  }

  /** Rests, unless another router leads there too. */
  private void rest(Throwable failure) {
    long nowNs = nowNs();
    if (AttemptFailure.isSilence(failure)) {
      ways.onSilence(NiError.PEER_NI_CONNECT_ERROR, nowNs);
    } else {
      ways.onNoWay(nowNs);
    }
    if (!ways.isRouted()) {
      isResting = true;
      restsUntilNs = nowNs + NodeConfig.REST_NS;
    }
  }

  // ---- a next router that does not answer

  /** Notes that a message is on its way. */
  void onSent(RtConnection by, Passing message) {
    boolean isWatched;
    synchronized (this) {
      passing.put(message, by);
      isWatched = ways.otherWaitNs(nowNs()) != Long.MAX_VALUE;
    }
    if (isWatched) {
      watch.watchLater();
    }
  }

  /** Notes that it has ended there. */
  synchronized void onEnded(Passing message) {
    passing.remove(message);
  }

  @Override
  public synchronized RtConnection router() {
    return passing.containsValue(connection) ? connection : null;
  }

  @Override
  public synchronized long otherWaitNs() {
    return ways.otherWaitNs(nowNs());
  }

  @Override
  public void onDoubt(RtConnection router) {
    List<Passing> left = new ArrayList<>();
    synchronized (this) {
      if (connection != router) {
        return;
      }
      connection = null;
      ways.onSilence(NiError.PEER_NI_UNREACHABLE, nowNs());
      passing.forEach((message, by) -> left.addAll(by == router ? List.of(message) : List.of()));
    }
    left.forEach(Passing::giveUp);
    router.close();
    connectOn();
    wake();
  }

  // ---- room

  /** Returns the connection for a message that got room; null, and no room, if it has ended. */
  RtConnection connectionOrLeave(Claim claim) {
    RtConnection to;
    synchronized (this) {
      to = connection;
    }
    if (to == null) {
      leave(claim);
    }
    return to;
  }

  synchronized RouterReport.Hop report(String destination) {
    int large = largePushes.taken() + largePulls.taken();
    return new RouterReport.Hop(destination, connection != null, large, waiting.size());
  }

  /** Notes that a message that got room has passed. */
  void leave(Claim claim) {
    if (claim.isLarge()) {
      synchronized (this) {
        roomOf(claim).give(claim.origin());
      }
      wake();
    }
  }

  /**
   * All ask again for which there may be room: one that was given up meanwhile must not keep the
   * others waiting.
   */
  private void wake() {
    List<Waiter> told = new ArrayList<>();
    synchronized (this) {
      for (Iterator<Waiter> all = waiting.iterator(); all.hasNext(); ) {
        Waiter waiter = all.next();
        if (connection == null || isFree(waiter.claim)) {
          all.remove();
          places.give(waiter.claim.origin());
          told.add(waiter);
        }
      }
    }
    told.forEach(waiter -> waiter.again.run());
  }
}
