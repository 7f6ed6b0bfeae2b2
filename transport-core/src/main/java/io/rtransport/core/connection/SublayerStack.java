package io.rtransport.core.connection;

import io.rtransport.core.adp.AdpTimer;
import io.rtransport.core.congestion.Aimd;
import io.rtransport.core.congestion.CongestionControl;
import io.rtransport.core.congestion.FixedWindow;
import io.rtransport.core.congestion.PathRoom;
import io.rtransport.core.congestion.SwiftWindow;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.parameter.AgreedParameters;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.parameter.DirectionParameters;
import io.rtransport.core.solicitation.PathView;
import io.rtransport.core.solicitation.SolicitationConfig;
import io.rtransport.core.solicitation.SolicitationSublayer;
import io.rtransport.core.stats.Bound;
import io.rtransport.core.stats.BoundTimes;
import io.rtransport.core.time.DeadlineWheel;
import io.rtransport.core.transaction.PushSupplier;
import io.rtransport.core.transaction.TransactionSublayer;
import io.rtransport.core.window.Path;
import io.rtransport.core.window.PathMtuSearch;
import io.rtransport.core.window.PathTotals;
import io.rtransport.core.window.WindowConfig;
import io.rtransport.core.window.WindowSublayer;
import io.rtransport.core.wire.WindowClass;
import java.util.random.RandomGenerator;

/**
 * The three sublayers above the door, built from the agreed parameters. It also answers questions
 * that need more than one of them.
 */
final class SublayerStack {
  private static final int FIRST_PATH_ID = 0;

  private final Connection connection;
  private final LoopResources loop;
  private final RandomGenerator random;
  private final AgreedParameters agreed;
  final WindowSublayer window;
  final TransactionSublayer transaction;
  final SolicitationSublayer solicitation;
  final PeerFin peerFin;
  final TurnEnd turnEnd;
  final BoundTimes bounds = new BoundTimes();

  SublayerStack(
      Connection connection,
      LoopResources loop,
      Endpoint endpoint,
      PushSupplier ready,
      RandomGenerator random) {
    this.connection = connection;
    this.loop = loop;
    this.random = random;
    agreed = connection.agreed();
    peerFin = new PeerFin(connection.life());
    window = newWindow();
    transaction =
        new TransactionSublayer(
            ready, loop.solicitation().transactions(), connection.counters(), agreed);
    solicitation =
        new SolicitationSublayer(
            solicitationConfig(connection, agreed),
            loop.solicitation(),
            endpoint.budgets(),
            pathView(window),
            transaction,
            connection.counters(),
            () -> endpoint.wake(connection));
    solicitation.wholeLengthMax(connection.wholeLengthMax());
    solicitation.peerNis(connection.peerPaths);
    turnEnd =
        new TurnEnd(
            connection,
            loop,
            endpoint::drawSecret,
            connection.counters(),
            connection.peerCid(),
            connection.peerCookie(),
            connection.peerPaths,
            window,
            solicitation);
  }

  private WindowSublayer newWindow() {
    WindowSublayer made =
        new WindowSublayer(
            windowConfig(),
            loop.retransmissionEngine(),
            loop.probes(),
            new Path[] {newPath(FIRST_PATH_ID)},
            loop.tools(),
            connection.counters());
    if (!connection.config().isDataWindowSet()) {
      made.followPath();
    }
    return made;
  }

  private WindowConfig windowConfig() {
    return new WindowConfig(
        connection.cid(), connection.peerCid(), connection.peerCookie(), agreed);
  }

  /** Opens a path of the window sublayer. */
  void openPath(int pathIndex, int pathId, long nowNs) {
    window.openPath(pathIndex, newPath(pathId), random, nowNs);
  }

  /** Opens what is open, in a new window sublayer. That begins with the first path as path 0. */
  void openPaths(OpenPaths paths, long nowNs) {
    if (paths.isSingle()) {
      return;
    }
    for (int i = 1; i < OpenPaths.PATHS_MAX; i++) {
      openPath(paths, i, nowNs);
    }
    if (!paths.isOpen(0) || paths.path(0) != paths) {
      window.closePath(0, nowNs);
      openPath(paths, 0, nowNs);
    } else {
      window.health(0, paths.health(0));
    }
  }

  private void openPath(OpenPaths paths, int index, long nowNs) {
    if (paths.isOpen(index)) {
      openPath(index, paths.path(index).id(), nowNs);
      window.health(index, paths.health(index));
    }
  }

  private Path newPath(int id) {
    ConnectionConfig config = connection.config();
    int agreedBytes = agreed.both().datagramLengthBytes();
    AdpTimer adp = new AdpTimer(config.adpProfile(), config.adpParameters(), random);
    CongestionControl congestion =
        switch (config.congestion()) {
          case AIMD ->
              new Aimd(agreedBytes, maximumBytes(config, agreed), config.inFlightBytesMax());
          case SWIFT ->
              new SwiftWindow(
                  agreedBytes,
                  maximumBytes(config, agreed),
                  config.inFlightBytesMax(),
                  SwiftWindow.targetNs(
                      config.adpProfile().timeNs(config.adpProfile().initLowBound())));
          case FIXED -> new FixedWindow(fastWindowBytes(config, agreed));
        };
    Path path =
        new Path(
            id,
            adp,
            congestion,
            loop.lateness(),
            windowConfig().ringCapacityMax(),
            agreed.txNumbers().transmissionSequence());
    if (config.isPathMtuDiscovered()) {
      int takenMax = Math.min(config.datagramLengthBytesMax(), agreed.tx().datagramLengthMax());
      int lengthMax = Math.min(takenMax, connection.datagramLengthMax());
      path.mtu(PathMtuSearch.search(agreedBytes, agreed.both().headerLengthMax(), lengthMax));
    }
    return path;
  }

  /**
   * Returns the largest congestion window, bytes. If a window was set and is larger than a fast
   * path needs, it may be filled on any path.
   */
  private static long maximumBytes(ConnectionConfig config, AgreedParameters agreed) {
    return config.isDataWindowSet()
        ? Math.max(Aimd.DEFAULT_MAXIMUM_BYTES, fastWindowBytes(config, agreed))
        : Aimd.DEFAULT_MAXIMUM_BYTES;
  }

  /** Returns the data window on a fast path, bytes. */
  private static long fastWindowBytes(ConnectionConfig config, AgreedParameters agreed) {
    int packets =
        config.isDataWindowSet()
            ? agreed.tx().dataWindow()
            : Math.min(PathRoom.FAST_PATH_PACKETS, agreed.tx().dataWindow());
    return (long) packets * agreed.both().datagramLengthBytes();
  }

  private static SolicitationConfig solicitationConfig(
      Connection connection, AgreedParameters agreed) {
    ConnectionConfig config = connection.config();
    // A retransmission timer that follows only the profile has no allowance for a late
    // acknowledgement.
    boolean isUnawaitedTold =
        agreed.tx().has(DirectionParameters.FEATURE_UNAWAITED)
            && config.adpParameters().followsPath();
    return new SolicitationConfig(
        connection.cid(),
        agreed,
        config.congestedThresholdBytes(),
        config.inFlightBytesMax(),
        connection.flushWindowNs(),
        isUnawaitedTold,
        config.isPathMtuDiscovered());
  }

  private static PathView pathView(WindowSublayer window) {
    PathTotals totals = window.totals();
    return new PathView() {
      @Override
      public boolean isCongested() {
        return window.isCongested();
      }

      @Override
      public long roomBytes() {
        return totals.roomBytes();
      }

      @Override
      public boolean hasRoomToSpare() {
        return totals.hasRoomToSpare();
      }

      @Override
      public long srttNs() {
        return totals.smoothedRttNs();
      }

      @Override
      public long leastRttNs() {
        return totals.minRttNs();
      }

      @Override
      public boolean hasGap() {
        return window.hasGap();
      }
    };
  }

  /** Notes what holds back the rest of the data, at the end of a turn. */
  void judgeBound(boolean hasLinkRoom, long nowNs) {
    Bound bound = Bound.NONE;
    if (hasLinkRoom) {
      bound = window.bound();
      if (bound == Bound.NONE && solicitation.isCreditLimited()) {
        bound = Bound.CREDIT;
      } else if (bound == Bound.NONE && solicitation.isAwaitingGrants()) {
        bound = Bound.GRANT;
      } else if (bound == Bound.NONE && !window.isAllAcknowledged()) {
        bound = Bound.APPLICATION;
      }
    }
    bounds.onTurn(bound, nowNs);
  }

  /** Returns why the connection must end, or null. */
  CloseReason failure() {
    if (window.failure() != null) {
      return CloseReason.of(
          switch (window.failure()) {
            case RETRY_EXCEEDED -> CloseCode.RETRY_EXCEEDED;
            case PROTOCOL_ERROR -> CloseCode.PROTOCOL_ERROR;
          });
    }
    String broken = solicitation.failure();
    return broken == null ? null : new CloseReason(CloseCode.PROTOCOL_ERROR.code(), broken, false);
  }

  /**
   * Returns whether the sublayers are unchanged since they were made: nothing was numbered,
   * received or begun, and nothing is due.
   */
  boolean isUntouched() {
    return finalRequestPsn() == agreed.txNumbers().requestPsn()
        && finalDataPsn() == agreed.txNumbers().dataPsn()
        && hasReceivedAllBelow(agreed.rxNumbers().requestPsn(), agreed.rxNumbers().dataPsn())
        && window.isUntouched()
        && !solicitation.hasNiChange()
        && transaction.nextSubmission() == Integer.toUnsignedLong(agreed.txNumbers().rsn())
        && transaction.isUntouched()
        && nextDeadlineNs() == DeadlineWheel.NONE
        && failure() == null;
  }

  long nextDeadlineNs() {
    long below = Math.min(window.nextDeadlineNs(), solicitation.nextDeadlineNs());
    return Math.min(below, transaction.nextDeadlineNs());
  }

  /**
   * Returns whether both directions have finished, every transaction has ended, and the peer has
   * received all our numbered packets.
   */
  boolean isSettled() {
    return solicitation.isFinished() && window.isAllAcknowledged();
  }

  /** Returns whether all packets of the peer below these PSNs have arrived, in both windows. */
  boolean hasReceivedAllBelow(int requestPsn, int dataPsn) {
    return window.receivedBase(WindowClass.REQUEST) == requestPsn
        && window.receivedBase(WindowClass.DATA) == dataPsn;
  }

  /**
   * Returns whether the peer can have these as its final PSNs: not below what we received, and not
   * beyond what it may have sent.
   */
  boolean canBeFinal(int requestPsn, int dataPsn) {
    int requests = requestPsn - window.receivedBase(WindowClass.REQUEST);
    int data = dataPsn - window.receivedBase(WindowClass.DATA);
    return requests >= 0
        && requests <= agreed.rx().requestWindow()
        && data >= 0
        && data <= agreed.rx().dataWindow();
  }

  boolean wantsCreditPing() {
    return solicitation.wantsCreditPing() && window.isIdle();
  }

  /** Returns whether a transaction of either direction is open. */
  boolean hasUnended() {
    return transaction.outstanding() > 0
        || transaction.peers().size() > 0
        || transaction.hasReady();
  }

  int finalRequestPsn() {
    return window.nextPsn(WindowClass.REQUEST);
  }

  int finalDataPsn() {
    return window.nextPsn(WindowClass.DATA);
  }
}
