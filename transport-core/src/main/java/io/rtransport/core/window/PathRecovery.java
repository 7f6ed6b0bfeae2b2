package io.rtransport.core.window;

import io.rtransport.core.rail.HealthParameter;
import io.rtransport.core.rail.NiError;
import io.rtransport.core.rail.PairHealth;
import io.rtransport.core.rail.RailHealthConfig;
import io.rtransport.core.stats.Limits;
import java.util.function.IntPredicate;

/**
 * Tells the node what the paths of one connection show about the interfaces at their ends, and asks
 * by PING those that are not healthy. It decides nothing about packets that leave: {@link
 * HealthyPaths} does. A connection with one path has no such object.
 *
 * <ul>
 *   <li>A suspect path is told as silent once it was silent for {@link
 *       HealthParameter#SILENCE_CHARGED_MILLIS}, and again after each path timeout. A shorter pause
 *       costs a path its traffic, and its interfaces no health. If its port had no room for that
 *       long, or the system does not even take its PINGs, that is told instead.
 *   <li>A path that loses more than {@link HealthParameter#LOSS_CHARGED_PERCENT} of 64 packets is
 *       told as lossy. If another interface of ours reaches the same one of the peer without such
 *       loss, nobody is charged, and the path carries PINGs only.
 *   <li>One that loses more than {@link HealthParameter#LOSS_AVOIDED_PERCENT} of 256 packets
 *       carries PINGs only, until a block of them lost no more than the first limit.
 *   <li>A path with an end below full health is asked when the node says so, which lets one path
 *       ask for all that share the interface. A suspect path does not: its own PINGs would take the
 *       turns of paths that work. The answer to one of them counts all the same.
 * </ul>
 *
 * <p>Paths are asked only while the connection sends or receives numbered packets.
 */
final class PathRecovery {
  private static final int NONE = PathSet.NONE;

  /** What is known of one path. */
  private static final class State {
    /** When the silence of a suspect path is told next; none while it is not suspect. */
    long silentNs = Long.MAX_VALUE;

    boolean isToldSilent;

    /** When the PINGs of a suspect path count as unanswered next. */
    long unansweredNs = Long.MAX_VALUE;

    /** When a path that carries PINGs only has its next one. */
    long measuredNs = Long.MAX_VALUE;

    /** Whether a PING waits for its answer, and whether one was late for it. */
    boolean isOut;

    boolean isLate;

    /** Whether it asks for the node. If not, only the path's loss is measured. */
    boolean isForNode;

    int id;
    long sentNs;

    /** Whether, and since when, the port below has had no room. */
    boolean isFull;

    long fullNs;

    /** Whether, and when last, the system did not take a packet. */
    boolean isRefused;

    long refusedNs;
  }

  private final PathSet paths;
  private final Suspicion suspicion;
  private final HealthyPaths healthy;
  private final State[] states = new State[Limits.PATHS_MAX];

  PathRecovery(PathSet paths, Suspicion suspicion, HealthyPaths healthy) {
    this.paths = paths;
    this.suspicion = suspicion;
    this.healthy = healthy;
  }

  private State state(int index) {
    State state = states[index];
    if (state == null) {
      state = new State();
      states[index] = state;
    }
    return state;
  }

  /** Returns the health of a path's ends; null: there is no such path, or nobody watches it. */
  private PairHealth health(int index) {
    Path path = index < paths.size() ? paths.at(index) : null;
    return path == null || path.isClosing() ? null : path.health();
  }

  void onClosing(int index) {
    states[index] = null;
    healthy.onChanged(index);
  }

  // ---- what the port below tells

  void onRoom(int mask, long nowNs) {
    for (int i = 0; i < paths.size(); i++) {
      boolean isFull = (mask >>> i & 1) == 0;
      if (health(i) != null && isFull != state(i).isFull) {
        state(i).isFull = isFull;
        state(i).fullNs = nowNs;
      }
    }
  }

  void onRefused(int index, long nowNs) {
    state(index).isRefused = true;
    state(index).refusedNs = nowNs;
  }

  // ---- judging

  /** Tells what is to be told: after acknowledgements, and at a deadline. */
  void judge(long nowNs) {
    for (int i = 0; i < paths.size(); i++) {
      PairHealth health = health(i);
      if (health != null) {
        judgeLoss(i, health, nowNs);
        judgeSilence(i, health, nowNs);
        judgePing(i, health, nowNs);
      }
    }
  }

  private void judgeLoss(int index, PairHealth health, long nowNs) {
    LossRate rate = paths.at(index).lossRate();
    RailHealthConfig config = health.rail().config();
    long chargedPercent = config.get(HealthParameter.LOSS_CHARGED_PERCENT);
    boolean hasEnded = rate.takeBlockEnd();
    if (!rate.isLastAbove(chargedPercent, nowNs)) {
      lossy(index, false, nowNs);
      return;
    }
    boolean isPairAlone = hasOtherToPeer(index, health, i -> !isLossy(i, chargedPercent, nowNs));
    if (hasEnded && !isPairAlone) {
      health.onLossy(nowNs);
    }
    long avoidedPercent = config.get(HealthParameter.LOSS_AVOIDED_PERCENT);
    lossy(index, isPairAlone || rate.isAbove(avoidedPercent, nowNs), nowNs);
  }

  private void lossy(int index, boolean isLossy, long nowNs) {
    if (isLossy != healthy.isLossy(index)) {
      healthy.lossy(index, isLossy);
      state(index).measuredNs = isLossy ? nowNs : Long.MAX_VALUE;
    }
  }

  private boolean isLossy(int index, long percent, long nowNs) {
    return paths.at(index).lossRate().isLastAbove(percent, nowNs);
  }

  private void judgeSilence(int index, PairHealth health, long nowNs) {
    State state = state(index);
    if (!suspicion.isSuspect(index)) {
      state.silentNs = Long.MAX_VALUE;
      state.unansweredNs = Long.MAX_VALUE;
      return;
    }
    RailHealthConfig config = health.rail().config();
    if (state.silentNs == Long.MAX_VALUE) {
      state.silentNs = suspicion.suspectSinceNs(index) + config.silenceChargedNs();
      state.unansweredNs = suspicion.suspectSinceNs(index) + config.pingIntervalNsMin();
      state.isOut = false;
    }
    if (nowNs >= whileActive(state.silentNs)) {
      tellSilence(index, health, state, config, nowNs);
    }
    if (nowNs >= whileActive(state.unansweredNs)) {
      state.unansweredNs = nowNs + config.pingIntervalNsMin();
      if (!isPeerAlive(index, health, config, nowNs)) {
        health.onUnanswered(nowNs);
      }
    }
  }

  /** Tells the silence of a suspect path, unless the peer is silent on all paths meanwhile. */
  private void tellSilence(
      int index, PairHealth health, State state, RailHealthConfig config, long nowNs) {
    if (!suspicion.hasOtherShown(index, nowNs - config.silenceChargedNs())) {
      state.silentNs = nowNs + config.silenceChargedNs();
      return;
    }
    state.silentNs = nowNs + config.silenceAgainNs();
    state.isToldSilent = true;
    if (state.isFull && nowNs - state.fullNs >= config.silenceChargedNs()) {
      health.onQueued(nowNs);
    } else if (state.isRefused && state.refusedNs - suspicion.lastPingNs(index) >= 0) {
      health.onSendsFailing(nowNs);
    } else {
      health.onSilent(isPeerAlive(index, health, config, nowNs), nowNs);
    }
  }

  /** Returns whether the peer's interface has acknowledged by another interface of ours. */
  private boolean isPeerAlive(int index, PairHealth health, RailHealthConfig config, long nowNs) {
    long sinceNs = nowNs - 2 * config.silenceAgainNs();
    return hasOtherToPeer(index, health, i -> suspicion.hasShown(i, sinceNs));
  }

  /** Returns whether a usable path from another interface of ours to the same one is as asked. */
  private boolean hasOtherToPeer(int index, PairHealth health, IntPredicate isAsked) {
    for (int rest = paths.usableMask() & ~(1 << index); rest != 0; rest &= rest - 1) {
      int i = Integer.numberOfTrailingZeros(rest);
      PairHealth other = health(i);
      if (other != null
          && other.hasSamePeer(health)
          && !other.hasSameLocal(health)
          && isAsked.test(i)) {
        return true;
      }
    }
    return false;
  }

  private void judgePing(int index, PairHealth health, long nowNs) {
    State state = state(index);
    if (state.isOut && nowNs >= unansweredNs(index, state)) {
      state.isOut = false;
      state.isLate = true;
      paths.at(index).countLost(nowNs);
      if (state.isForNode) {
        health.onUnanswered(nowNs);
      }
    }
  }

  private long unansweredNs(int index, State state) {
    return state.sentNs + paths.at(index).probeDelayNs();
  }

  /** Handles the end of the connection: nothing was acknowledged on any path for the total. */
  void onGivenUp(long nowNs) {
    for (int i = 0; i < paths.size(); i++) {
      if (health(i) != null) {
        health(i).onError(NiError.PEER_NI_UNREACHABLE, nowNs);
      }
    }
  }

  // ---- asking

  /** Returns the index of a path that is asked now, or NONE. */
  int duePing(long nowNs) {
    for (int rest = paths.usableMask(); rest != 0; rest &= rest - 1) {
      int i = Integer.numberOfTrailingZeros(rest);
      if (nowNs >= dueNs(i)) {
        boolean isForNode = health(i).takePing(nowNs);
        state(i).isForNode = isForNode;
        if (isForNode || nowNs >= state(i).measuredNs) {
          return i;
        }
      }
    }
    return NONE;
  }

  /** Returns when a usable path is asked next; {@link Long#MAX_VALUE} for never. */
  private long dueNs(int index) {
    PairHealth health = health(index);
    if (health == null || suspicion.isInDoubt(index) || state(index).isOut) {
      return Long.MAX_VALUE;
    }
    long forNodeNs = health.isFull() ? Long.MAX_VALUE : health.pingDueNs();
    return whileActive(Math.min(forNodeNs, state(index).measuredNs));
  }

  /** Notes that the PING has left that {@link #duePing} asked for. */
  void onPinged(int index, int id, long nowNs) {
    State state = state(index);
    state.isOut = true;
    state.isLate = false;
    state.id = id;
    state.sentNs = nowNs;
    if (healthy.isLossy(index)) {
      state.measuredNs = nowNs + health(index).rail().config().pingIntervalNsMin();
    }
  }

  /**
   * Handles a PONG that came by a path. A late one counts too: it shows how long the path has
   * become. Returns whether it answers the last PING of this object.
   */
  boolean onPong(int index, int id, long nowNs) {
    PairHealth health = health(index);
    State state = health == null ? null : states[index];
    if (state == null || state.id != id || !state.isOut && !state.isLate) {
      return false;
    }
    Path path = paths.at(index);
    path.onRttSample(nowNs - state.sentNs, nowNs);
    path.silence().onShown(nowNs);
    if (state.isLate) {
      path.lossRate().onNeedless();
    } else {
      path.countArrived(nowNs);
    }
    state.isOut = false;
    state.isLate = false;
    if (state.isForNode) {
      onAnswered(index, nowNs);
    }
    return true;
  }

  /** Notes that a path has answered a PING, whoever asked. */
  void onAnswered(int index, long nowNs) {
    PairHealth health = health(index);
    if (health == null) {
      return;
    }
    State state = state(index);
    state.isOut = false;
    state.silentNs = Long.MAX_VALUE;
    if (state.isToldSilent || !health.isFull()) {
      state.isToldSilent = false;
      long percent = health.rail().config().get(HealthParameter.LOSS_CHARGED_PERCENT);
      health.onAnswered(paths.at(index).lossRate().isLastAbove(percent, nowNs), nowNs);
    }
  }

  /** Returns when {@link #judge} or {@link #duePing} has work without input. */
  long deadlineNs() {
    long soonest = Long.MAX_VALUE;
    for (int i = 0; i < paths.size(); i++) {
      PairHealth health = health(i);
      State state = health == null ? null : states[i];
      if (state == null) {
        continue;
      }
      if (suspicion.isSuspect(i)) {
        soonest = Math.min(soonest, whileActive(Math.min(state.silentNs, state.unansweredNs)));
      } else {
        soonest = Math.min(soonest, state.isOut ? unansweredNs(i, state) : dueNs(i));
      }
    }
    return soonest;
  }

  private long whileActive(long dueNs) {
    return dueNs != Long.MAX_VALUE && suspicion.isActive(dueNs) ? dueNs : Long.MAX_VALUE;
  }
}
