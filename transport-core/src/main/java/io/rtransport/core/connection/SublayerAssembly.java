package io.rtransport.core.connection;

import io.rtransport.core.adp.AdpTimer;
import io.rtransport.core.congestion.Aimd;
import io.rtransport.core.congestion.CongestionControl;
import io.rtransport.core.congestion.FixedWindow;
import io.rtransport.core.solicitation.PathView;
import io.rtransport.core.solicitation.SolicitationConfig;
import io.rtransport.core.solicitation.SolicitationSublayer;
import io.rtransport.core.transaction.PayloadSink;
import io.rtransport.core.transaction.TransactionListener;
import io.rtransport.core.transaction.TransactionSublayer;
import io.rtransport.core.window.Path;
import io.rtransport.core.window.WindowConfig;
import io.rtransport.core.window.WindowSublayer;
import java.util.random.RandomGenerator;

/** Builds the sublayers of a connection from what was agreed. */
final class SublayerAssembly {
  private static final int FIRST_PATH_ID = 0;

  private SublayerAssembly() {}

  static WindowSublayer window(Connection connection, LoopResources loop, RandomGenerator random) {
    AgreedParameters agreed = connection.agreed();
    ConnectionConfig config = connection.config();
    WindowConfig windowConfig =
        new WindowConfig(
            connection.cid(),
            connection.peerCid(),
            connection.peerCookie(),
            agreed.datagramLengthBytes(),
            agreed.rxRequestWindow(),
            agreed.rxDataWindow(),
            agreed.txRequestWindow(),
            agreed.txDataWindow(),
            agreed.txNumbers().requestPsn(),
            agreed.txNumbers().dataPsn(),
            agreed.rxNumbers().requestPsn(),
            agreed.rxNumbers().dataPsn(),
            agreed.ackDelayNsMax(),
            agreed.peerAckDelayNsMax());
    AdpTimer adp = new AdpTimer(config.adpProfile(), config.adpParameters(), random);
    Path path =
        new Path(FIRST_PATH_ID, adp, congestion(config, agreed), windowConfig.ringCapacityMax());
    return new WindowSublayer(
        windowConfig,
        loop.retransmissionEngine(),
        new Path[] {path},
        loop.integrity(),
        connection.counters());
  }

  static TransactionSublayer transaction(
      Connection connection, LoopResources loop, PayloadSink sink, TransactionListener listener) {
    AgreedParameters agreed = connection.agreed();
    return new TransactionSublayer(
        sink,
        listener,
        loop.solicitation().transactions(),
        connection.counters(),
        agreed.txNumbers().rsn(),
        agreed.outstandingMax(),
        agreed.headerLengthMax(),
        agreed.txMessageLengthMax(),
        agreed.rxMessageLengthMax());
  }

  static SolicitationSublayer solicitation(
      Connection connection,
      LoopResources loop,
      Endpoint endpoint,
      TransactionSublayer transaction) {
    AgreedParameters agreed = connection.agreed();
    SolicitationConfig config =
        new SolicitationConfig(
            connection.cid(),
            agreed.txNumbers().rsn(),
            agreed.txNumbers().ssn(),
            agreed.rxNumbers().rsn(),
            agreed.rxNumbers().ssn(),
            agreed.datagramLengthBytes(),
            agreed.txInitialCreditBytes(),
            agreed.rxInitialCreditBytes(),
            agreed.outstandingMax(),
            agreed.solicitThresholdBytes(),
            agreed.headerLengthMax(),
            agreed.txMessageLengthMax(),
            agreed.rxMessageLengthMax(),
            SolicitationConfig.GRANT_AHEAD_BYTES);
    WindowSublayer window = connection.window();
    PathView path =
        new PathView() {
          @Override
          public boolean isCongested() {
            return window.congested();
          }

          @Override
          public long srttNs() {
            return window.path(FIRST_PATH_ID).smoothedRttNs();
          }
        };
    return new SolicitationSublayer(
        config,
        loop.solicitation(),
        endpoint.budgets(),
        path,
        transaction,
        connection.counters(),
        () -> endpoint.wake(connection));
  }

  private static CongestionControl congestion(ConnectionConfig config, AgreedParameters agreed) {
    return switch (config.congestion()) {
      case AIMD -> new Aimd(agreed.datagramLengthBytes());
      case FIXED -> new FixedWindow((long) agreed.txDataWindow() * agreed.datagramLengthBytes());
    };
  }
}
