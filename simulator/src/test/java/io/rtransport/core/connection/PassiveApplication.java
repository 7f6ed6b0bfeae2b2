package io.rtransport.core.connection;

import io.rtransport.core.transaction.Outcome;
import io.rtransport.core.transaction.PayloadSource;
import io.rtransport.simulator.ConnectionDriver;
import io.rtransport.simulator.ConnectionListener;
import io.rtransport.simulator.PayloadSink;
import io.rtransport.simulator.TransactionListener;
import java.nio.ByteBuffer;

/**
 * An application that takes every message, answers none and begins none, directly above a
 * connection: what the others of the tests differ from.
 */
abstract class PassiveApplication
    implements ConnectionListener,
        PayloadSink,
        PayloadSource,
        TransactionListener,
        ConnectionDriver.Wire {
  /** Stands above {@code connection} from now on. */
  final void attachTo(Connection connection) {
    ConnectionDriver.attach(connection, this, this, this, this);
  }

  @Override
  public void onEstablished() {}

  @Override
  public void onPeerFinished() {}

  @Override
  public void onClosed(CloseReason reason) {}

  @Override
  public long open(long rsn, long lengthBytes, ByteBuffer header, int index, int length) {
    return rsn;
  }

  @Override
  public int write(long handle, long offset, ByteBuffer from, int index, int length) {
    return length;
  }

  @Override
  public void deliver(long handle, boolean whole) {}

  @Override
  public void onPullRequest(
      long rsn, long lengthBytesMax, ByteBuffer header, int index, int length) {}

  @Override
  public void onEnded(long tag, Outcome outcome, int code, String text) {}

  @Override
  public void onSubmittable() {}

  @Override
  public int copy(long handle, long offset, ByteBuffer to, int index, int length) {
    return length;
  }

  @Override
  public boolean hasRoom(int pathIndex) {
    return true;
  }
}
