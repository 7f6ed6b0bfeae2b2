package io.rtransport.core.rail;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;

/**
 * Health of all interfaces that a node's connections use: ours, and those of its peers. Health is
 * the slow memory: seconds, for each interface, shared by all connections. The fast one is the
 * suspicion of a path, in each connection.
 *
 * <p>An interface begins at 1000. A failure takes {@link HealthParameter#HEALTH_SENSITIVITY} off.
 * Below 1000 it is asked by PING, and each answer gives {@link HealthParameter#RECOVERY_INCREMENT}
 * back. Paths compare the health of their ends and prefer the healthiest.
 *
 * <p><b>Who is charged.</b>
 *
 * <table>
 *   <caption>causes</caption>
 *   <tr><td>waited in our queue</td><td>our interface</td></tr>
 *   <tr><td>sends kept failing</td><td>both</td></tr>
 *   <tr><td>not acknowledged; that peer interface is silent by all of ours</td>
 *       <td>the peer's interface</td></tr>
 *   <tr><td>not acknowledged; it acknowledges by another of ours</td><td>nobody: the pair is
 *       suspect</td></tr>
 *   <tr><td>the same for two or more peers by one of ours</td><td>our interface</td></tr>
 *   <tr><td>too many packets lost</td><td>the peer's interface, twice</td></tr>
 *   <tr><td>the same with a second peer within 2 s</td><td>ours too</td></tr>
 * </table>
 *
 * <p>One peer alone never makes our interface look bad: it could do so at will, and other
 * connections would follow.
 *
 * <p>Nothing here is touched while all goes well: a path asks {@link #version} and finds it
 * unchanged. Source: LNet Health, "Health value updates" and "Reasons for timeout". Any thread.
 */
public final class RailHealth {
  /** Interfaces that are remembered though no path uses them, because they are not healthy. */
  public static final int UNUSED_MAX = NiTable.UNUSED_MAX;

  /** Least time between two charges for loss. */
  static final long LOSS_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(250);

  /** Time between the losses of two peers in which our interface is charged too. */
  static final long LOSS_TOGETHER_NS = TimeUnit.SECONDS.toNanos(2);

  /** What a charge for loss takes off, in sensitivities. */
  private static final int LOSS_CHARGES = 2;

  private final NiTable locals;
  private final NiTable peers;

  /** Of each interface of ours the pairs that are silent while their peer is not. */
  private final Map<NiHealth, SilentPairs> silentAlone = new IdentityHashMap<>();

  private volatile RailHealthConfig config = RailHealthConfig.usual();
  private volatile long version;

  /** Who wants to know what is down. */
  private final List<Runnable> wakers = new CopyOnWriteArrayList<>();

  /** Changes of what is down after which they were woken. */
  private long wokenChanges;

  /**
   * @param random moves PINGs of different interfaces apart; used under this object's lock only
   */
  public RailHealth(RandomGenerator random) {
    locals = new NiTable(true, random);
    peers = new NiTable(false, random);
  }

  public RailHealthConfig config() {
    return config;
  }

  /** Sets all knobs. Healths stay what they are. */
  public synchronized void config(RailHealthConfig next) {
    config = next;
    version++;
  }

  /**
   * Changes some knobs. What another thread sets meanwhile is not lost.
   *
   * @param change gets the present knobs and returns the new ones. If it throws, nothing changes
   */
  public synchronized void change(UnaryOperator<RailHealthConfig> change) {
    config(change.apply(config));
  }

  /** Returns a number that differs after each change of a health, a state or a knob. */
  public long version() {
    return version;
  }

  synchronized PairEnds open(
      String network, InetAddress local, InetSocketAddress remote, long peer) {
    NiHealth ourNi = locals.use(new NiKey(network, local));
    NiHealth peerNi = peers.use(new NiKey(network, remote));
    return new PairEnds(ourNi, peerNi, peer);
  }

  void close(PairEnds pair) {
    synchronized (this) {
      forgetSilence(pair);
      locals.giveBack(pair.local);
      peers.giveBack(pair.peer);
    }
    wake();
  }

  private void forgetSilence(PairEnds pair) {
    SilentPairs silent = silentAlone.get(pair.local);
    if (silent != null) {
      silent.remove(pair);
      if (silent.isEmpty()) {
        silentAlone.remove(pair.local);
      }
    }
  }

  // ---- charges

  /**
   * Handles a timeout of a pair, unless it is {@link Cause#REMOTE_TIMEOUT}: counts and charges it.
   */
  void onTimeout(PairEnds pair, Cause cause, boolean isPeer, long nowNs) {
    synchronized (this) {
      pair.local.countTimeout(cause);
      if (isPeer) {
        pair.peer.countTimeout(cause);
      }
      charge(pair, cause, true, isPeer, nowNs);
    }
    wake();
  }

  void onSilent(PairEnds pair, boolean isPeerAlive, long nowNs) {
    noteSilent(pair, isPeerAlive, nowNs);
    wake();
  }

  private synchronized void noteSilent(PairEnds pair, boolean isPeerAlive, long nowNs) {
    forgetSilence(pair);
    pair.local.countTimeout(Cause.REMOTE_TIMEOUT);
    pair.peer.countTimeout(Cause.REMOTE_TIMEOUT);
    if (!isPeerAlive) {
      charge(pair, Cause.REMOTE_TIMEOUT, false, true, nowNs);
      return;
    }
    SilentPairs silent = silentAlone.computeIfAbsent(pair.local, ni -> new SilentPairs());
    silent.add(pair, nowNs);
    silent.removeBefore(nowNs - 2 * config.pathTimeoutNs());
    if (silent.isOfSeveralPeers()) {
      charge(pair, Cause.REMOTE_TIMEOUT, true, false, nowNs);
    }
  }

  private void charge(PairEnds pair, Cause cause, boolean isLocal, boolean isPeer, long nowNs) {
    int amount = config.intOf(HealthParameter.HEALTH_SENSITIVITY);
    long intervalNs = config.ns(HealthParameter.CHARGE_INTERVAL_MILLIS);
    charge(pair, cause, amount, intervalNs, isLocal, isPeer, nowNs);
  }

  private void charge(
      PairEnds pair,
      Cause cause,
      int amount,
      long intervalNs,
      boolean isLocal,
      boolean isPeer,
      long nowNs) {
    if (isLocal && pair.local.charge(cause, amount, intervalNs, config, nowNs)) {
      onChange(locals, pair.local);
    }
    if (isPeer && pair.peer.charge(cause, amount, intervalNs, config, nowNs)) {
      onChange(peers, pair.peer);
    }
  }

  private void onChange(NiTable table, NiHealth ni) {
    version++;
    table.onChange(ni);
  }

  void onLossy(PairEnds pair, long nowNs) {
    synchronized (this) {
      int amount = LOSS_CHARGES * config.intOf(HealthParameter.HEALTH_SENSITIVITY);
      boolean isOurs = pair.local.isLossyWithAnother(pair.peerId, LOSS_TOGETHER_NS, nowNs);
      charge(pair, Cause.LOSS, amount, LOSS_INTERVAL_NS, isOurs, true, nowNs);
    }
    wake();
  }

  void onError(PairEnds pair, NiError error, long nowNs) {
    synchronized (this) {
      apply(locals, pair.local, error, error.onLocal(), nowNs);
      apply(peers, pair.peer, error, error.onPeer(), nowNs);
    }
    wake();
  }

  synchronized void onReported(PairEnds pair, NiError error) {
    pair.peer.count(error);
  }

  /**
   * Handles an error of one of our interfaces that no path has noticed: its device has gone, or is
   * back.
   *
   * @param network its network; empty for none
   * @throws IllegalArgumentException if the error is one of a peer's interface
   */
  public void onLocalError(NiError error, String network, InetAddress local, long nowNs) {
    if (error.onLocal() == NiError.Effect.NONE) {
      throw new IllegalArgumentException("error=" + error + ", valid: LOCAL_NI_…");
    }
    NiKey key = new NiKey(network, local);
    synchronized (this) {
      boolean isDown = error.onLocal() == NiError.Effect.FAILS;
      NiHealth ni = isDown ? locals.know(key) : locals.find(key);
      if (ni != null) {
        apply(locals, ni, error, error.onLocal(), nowNs);
        locals.forgetIfWell(ni);
      }
    }
    wake();
  }

  /**
   * Handles an error of a peer's interface that no path has noticed.
   *
   * @param network its network; empty for none
   * @throws IllegalArgumentException if the error is one of our interface
   */
  public void onPeerError(NiError error, String network, InetSocketAddress remote, long nowNs) {
    if (error.onPeer() == NiError.Effect.NONE) {
      throw new IllegalArgumentException("error=" + error + ", valid: PEER_NI_…");
    }
    synchronized (this) {
      NiHealth ni = peers.know(new NiKey(network, remote));
      apply(peers, ni, error, error.onPeer(), nowNs);
      peers.forgetIfWell(ni);
    }
    wake();
  }

  /** Notes that a peer's interface has answered somebody, as it answers a PING. */
  public void onPeerAnswered(String network, InetSocketAddress remote, long nowNs) {
    synchronized (this) {
      NiHealth ni = peers.find(new NiKey(network, remote));
      if (ni != null) {
        answer(peers, ni, config.intOf(HealthParameter.RECOVERY_INCREMENT), nowNs);
        peers.forgetIfWell(ni);
      }
    }
    wake();
  }

  private void answer(NiTable table, NiHealth ni, int increment, long nowNs) {
    if (ni.onAnswered(increment, config, nowNs)) {
      onChange(table, ni);
    }
  }

  private void apply(NiTable table, NiHealth ni, NiError error, NiError.Effect effect, long nowNs) {
    if (effect != NiError.Effect.NONE) {
      ni.count(error);
    }
    boolean isChange =
        switch (effect) {
          case NONE, DOUBTED -> false;
          case CHARGED ->
              ni.charge(
                  causeOf(error),
                  config.intOf(HealthParameter.HEALTH_SENSITIVITY),
                  config.ns(HealthParameter.CHARGE_INTERVAL_MILLIS),
                  config,
                  nowNs);
          case FAILS -> ni.failed(true);
          case WORKS_AGAIN -> ni.failed(false);
        };
    if (isChange) {
      onChange(table, ni);
    }
  }

  /** Returns the cause of an error's charge: one failure that is noticed twice is charged once. */
  private static Cause causeOf(NiError error) {
    return switch (error) {
      case LOCAL_NI_SEND_TIMEOUT -> Cause.LOCAL_TIMEOUT;
      case PEER_NI_UNREACHABLE -> Cause.REMOTE_TIMEOUT;
      default -> Cause.ERROR;
    };
  }

  // ---- recovery

  synchronized boolean takePing(PairEnds pair, long nowNs) {
    if (nowNs < pair.pingDueNs()) {
      return false;
    }
    pair.local.onPing(config, nowNs);
    pair.peer.onPing(config, nowNs);
    return true;
  }

  void onAnswered(PairEnds pair, boolean isLossy, long nowNs) {
    synchronized (this) {
      forgetSilence(pair);
      int increment = isLossy ? 0 : config.intOf(HealthParameter.RECOVERY_INCREMENT);
      answer(locals, pair.local, increment, nowNs);
      answer(peers, pair.peer, increment, nowNs);
    }
    wake();
  }

  void onUnanswered(PairEnds pair, long nowNs) {
    noteUnanswered(pair, nowNs);
    wake();
  }

  private synchronized void noteUnanswered(PairEnds pair, long nowNs) {
    pair.local.onUnanswered();
    pair.peer.onUnanswered();
    if (config.get(HealthParameter.FAILED_PING_CHARGED) == 1) {
      int amount = config.intOf(HealthParameter.HEALTH_SENSITIVITY);
      charge(pair, Cause.PING_FAILED, amount, 0, !pair.local.isFull(), !pair.peer.isFull(), nowNs);
    }
  }

  // ---- selection

  /** An interface as it is known at the time of each call: it may be forgotten in between. */
  private record View(RailHealth rail, NiTable table, NiKey key) implements NiView {
    @Override
    public int health(long nowNs) {
      synchronized (rail) {
        NiHealth ni = table.find(key);
        return ni == null ? RailHealthConfig.HEALTH_MAX : ni.healthAt(nowNs);
      }
    }

    @Override
    public boolean isFailed() {
      synchronized (rail) {
        NiHealth ni = table.find(key);
        return ni != null && ni.isFailed();
      }
    }
  }

  /**
   * Returns an interface of ours, for selection. Its health counts as long as a path uses it, and
   * for a minute after its last change.
   *
   * @param network its network; empty for none
   * @param address its address; null if it is not known
   */
  public NiView ours(String network, InetAddress address) {
    return new View(this, locals, new NiKey(network, address));
  }

  /** Returns an interface of a peer, likewise. */
  public NiView ofPeer(String network, InetSocketAddress address) {
    return new View(this, peers, new NiKey(network, address));
  }

  // ---- watching

  /**
   * Calls {@code waker} after each change of {@link #downs}, once for changes that come together.
   * It is called on the thread that made the change, often an event loop, and without the lock of
   * this object; that thread may hold locks of its own. So it must return at once without waiting
   * for a lock, and must not throw.
   */
  public void watchDowns(Runnable waker) {
    wakers.add(waker);
  }

  /** Forgets a waker. A call that has begun may still come. */
  public void unwatchDowns(Runnable waker) {
    wakers.remove(waker);
  }

  /** Returns how many wakers are known. */
  public int wakerCount() {
    return wakers.size();
  }

  /** Wakes those who watch, if what is down has changed. Called without the lock. */
  private void wake() {
    synchronized (this) {
      long changes = locals.downChanges() + peers.downChanges();
      if (changes == wokenChanges) {
        return;
      }
      wokenChanges = changes;
    }
    wakers.forEach(Runnable::run);
  }

  /**
   * Returns the interfaces that are down, ours first, each kind in the order in which they went
   * down. One is down if it has failed hard, or has no health left ({@link Band#NONE}). It is up
   * again when neither holds: a path works there, or the system says that it is back. One that is
   * forgotten, because no path uses it, counts as up. Those whose address is not known are left
   * out.
   */
  public synchronized List<DownNi> downs() {
    List<DownNi> downs = new ArrayList<>();
    locals.downs(downs);
    peers.downs(downs);
    return downs;
  }

  /** Returns our interfaces that are used, or that have failed or are not healthy. */
  public synchronized List<OurNi> ourNis() {
    List<OurNi> ours = new ArrayList<>();
    locals.forEach(ni -> ours.add(ni.key().ours(ni.isFailed(), ni.users > 0)));
    return ours;
  }

  /** Returns a report of each interface: ours first. */
  public synchronized List<NiReport> reports() {
    List<NiReport> reports = new ArrayList<>();
    locals.forEach(ni -> reports.add(ni.report()));
    peers.forEach(ni -> reports.add(ni.report()));
    return reports;
  }

  /**
   * Returns reports of a bounded number of interfaces: ours first, and of each kind those first
   * that are not well, and of these first those that paths use.
   *
   * @param max most of ours, and most of the peers'
   */
  public synchronized List<NiReport> reports(int max) {
    List<NiReport> reports = new ArrayList<>();
    locals.report(max, reports);
    peers.report(max, reports);
    return reports;
  }

  /** Returns how many interfaces of ours are known. */
  public synchronized int localCount() {
    return locals.size();
  }

  /** Returns how many interfaces of peers are known. */
  public synchronized int peerCount() {
    return peers.size();
  }
}
