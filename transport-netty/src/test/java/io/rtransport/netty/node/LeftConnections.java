package io.rtransport.netty.node;

import io.rtransport.netty.facade.RtConnection;
import java.util.ArrayList;
import java.util.List;

/**
 * What a node hears of its way to one peer: whether it left each connection while that lived, or
 * only because it had ended. Not how soon, which is a matter of the machine.
 */
final class LeftConnections implements NodeTarget {
  private final List<Boolean> wereAlive = new ArrayList<>();
  private volatile RtNode node;
  private volatile RtConnection connection;

  /** To be called before the node has a message. */
  void of(RtNode heard) {
    node = heard;
  }

  @Override
  public void onPeerUp(String peer) {
    connection = node.link(peer, null).router();
  }

  /** Returns the one that it uses, or used last. */
  RtConnection used() {
    return connection;
  }

  @Override
  public void onPeerDown(String peer) {
    boolean wasAlive = !connection.closed().isDone();
    synchronized (wereAlive) {
      wereAlive.add(wasAlive);
    }
  }

  /** Returns whether each that it left was alive then, the first one first. */
  List<Boolean> wereAlive() {
    synchronized (wereAlive) {
      return List.copyOf(wereAlive);
    }
  }
}
