package io.rtransport.netty.node;

import io.rtransport.netty.facade.RtConnection;
import java.net.InetAddress;
import java.util.concurrent.CompletableFuture;

/** What a {@link PeerLink} needs of its node. Any thread. */
interface NodeContext {
  String name();

  /** Returns the number of this node's life; not 0. */
  long incarnation();

  /** Returns how often a message is sent again at most. */
  int retries();

  long resendIntervalNs();

  /** Returns the time of one attempt. */
  long attemptNs();

  /** Returns the longest time of any message. */
  long withinNsMax();

  CompletableFuture<RtConnection> connect(PeerConfig peer);

  /** Has the system asked, soon, whether an interface of ours is up. */
  void lookAt(InetAddress ours);

  /** Tells the application that a peer can or cannot be reached. */
  void tell(String peer, boolean isReachable);
}
