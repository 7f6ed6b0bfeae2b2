package io.rtransport.core.rail;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
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

  synchronized void close(PairEnds pair) {
    forgetSilence(pair);
    locals.giveBack(pair.local);
    peers.giveBack(pair.peer);
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
  synchronized void onTimeout(PairEnds pair, Cause cause, boolean isPeer, long nowNs) {
    pair.local.countTimeout(cause);
    if (isPeer) {
      pair.peer.countTimeout(cause);
    }
    charge(pair, cause, true, isPeer, nowNs);
  }

  synchronized void onSilent(PairEnds pair, boolean isPeerAlive, long nowNs) {
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
    boolean isChange = isLocal && pair.local.charge(cause, amount, intervalNs, config, nowNs);
    isChange |= isPeer && pair.peer.charge(cause, amount, intervalNs, config, nowNs);
    version += isChange ? 1 : 0;
  }

  synchronized void onLossy(PairEnds pair, long nowNs) {
    int amount = LOSS_CHARGES * config.intOf(HealthParameter.HEALTH_SENSITIVITY);
    boolean isOurs = pair.local.isLossyWithAnother(pair.peerId, LOSS_TOGETHER_NS, nowNs);
    charge(pair, Cause.LOSS, amount, LOSS_INTERVAL_NS, isOurs, true, nowNs);
  }

  synchronized void onError(PairEnds pair, NiError error, long nowNs) {
    apply(pair.local, error, error.onLocal(), nowNs);
    apply(pair.peer, error, error.onPeer(), nowNs);
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
  public synchronized void onLocalError(
      NiError error, String network, InetAddress local, long nowNs) {
    if (error.onLocal() == NiError.Effect.NONE) {
      throw new IllegalArgumentException("error=" + error + ", valid: LOCAL_NI_…");
    }
    NiKey key = new NiKey(network, local);
    boolean isDown = error.onLocal() == NiError.Effect.FAILS;
    NiHealth ni = isDown ? locals.know(key) : locals.find(key);
    if (ni != null) {
      apply(ni, error, error.onLocal(), nowNs);
      locals.forgetIfWell(ni);
    }
  }

  /**
   * Handles an error of a peer's interface that no path has noticed.
   *
   * @param network its network; empty for none
   * @throws IllegalArgumentException if the error is one of our interface
   */
  public synchronized void onPeerError(
      NiError error, String network, InetSocketAddress remote, long nowNs) {
    if (error.onPeer() == NiError.Effect.NONE) {
      throw new IllegalArgumentException("error=" + error + ", valid: PEER_NI_…");
    }
    NiHealth ni = peers.know(new NiKey(network, remote));
    apply(ni, error, error.onPeer(), nowNs);
    peers.forgetIfWell(ni);
  }

  /** Notes that a peer's interface has answered somebody, as it answers a PING. */
  public synchronized void onPeerAnswered(String network, InetSocketAddress remote, long nowNs) {
    NiHealth ni = peers.find(new NiKey(network, remote));
    if (ni != null) {
      int increment = config.intOf(HealthParameter.RECOVERY_INCREMENT);
      version += ni.onAnswered(increment, config, nowNs) ? 1 : 0;
      peers.forgetIfWell(ni);
    }
  }

  private void apply(NiHealth ni, NiError error, NiError.Effect effect, long nowNs) {
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
    version += isChange ? 1 : 0;
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

  synchronized void onAnswered(PairEnds pair, boolean isLossy, long nowNs) {
    forgetSilence(pair);
    int increment = isLossy ? 0 : config.intOf(HealthParameter.RECOVERY_INCREMENT);
    boolean isChange = pair.local.onAnswered(increment, config, nowNs);
    isChange |= pair.peer.onAnswered(increment, config, nowNs);
    version += isChange ? 1 : 0;
  }

  synchronized void onUnanswered(PairEnds pair, long nowNs) {
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
