package io.rtransport.netty;

import io.rtransport.core.connection.CloseReason;
import io.rtransport.core.transaction.PayloadSink;
import io.rtransport.core.transaction.TransactionListener;

/**
 * An application directly above a link, in the place of its channel's queues. The simulator's
 * comparison stands there: the same application over channels as over direct links, so that all
 * else must be equal.
 */
interface LinkApplication {
  PayloadSink sink();

  TransactionListener transactions();

  void onEstablished();

  void onPeerFinished();

  void onClosed(CloseReason reason);
}
