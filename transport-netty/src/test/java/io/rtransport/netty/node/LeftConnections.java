package io.rtransport.netty.node;

import io.rtransport.core.outcome.CloseReason;
import io.rtransport.netty.facade.RtConnection;
import java.util.ArrayList;
import java.util.List;

/**
 * What a node hears of its way to one peer: whether it left each connection while that lived, or
 * only because it had ended. Not how soon, which is a matter of the machine.
 */
final class LeftConnections {
  /**
   * One that the node had, and has no more.
   *
   * @param reason why it had ended before; null: it lived
   */
  record Left(CloseReason reason) {}

  private final List<Left> all = new ArrayList<>();
  private volatile RtConnection connection;

  /** To be called before the node has a message. */
  void of(RtNode node, String peer) {
    node.link(peer, null).onChange(taken -> connection = taken, this::onLeft);
  }

  private void onLeft(RtConnection used) {
    Left left = new Left(used.closeReason());
    synchronized (all) {
      all.add(left);
    }
  }

  /** Returns the one that it uses, or used last. */
  RtConnection used() {
    return connection;
  }

  /** Returns those that it has left, the first one first. */
  List<Left> all() {
    synchronized (all) {
      return List.copyOf(all);
    }
  }
}
