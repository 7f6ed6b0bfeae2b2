package io.rtransport.netty.node;

/**
 * Callbacks of an application that serves other nodes, and hears of them. All run on event loops
 * and must not block. One that throws fails its message for the peer with UNKNOWN, and is logged.
 */
public interface NodeTarget {
  /**
   * Takes a PUT. It is executed once, however often its origin had to send it. One that wants an
   * answer must be answered, now or later. By default it is refused with code 0.
   */
  default void onPut(NodePut put) {
    put.fail(0, "this node takes no messages");
  }

  /** Takes a GET, which must be answered, now or later. By default it is refused with code 0. */
  default void onGet(NodeGet get) {
    get.fail(0, "this node answers nothing");
  }

  /** Tells that a peer of ours can be reached, for the first time or again. */
  default void onPeerUp(String peer) {}

  /**
   * Tells that a peer that could be reached cannot be any more, over none of its addresses. If
   * several routers lead there, it is told once no other one has, too; so not before a message
   * wants it.
   */
  default void onPeerDown(String peer) {}

  /**
   * Tells that an interface that this node uses is down: one of this host, or one of a peer or
   * router of ours. It is down if it has failed hard, as one of this host does whose device is down
   * or gone, or if no health is left of it. Messages go by others meanwhile, and have done so since
   * it first fell silent, which may be half a minute before.
   *
   * <p>News of one interface come in their order, and none is told twice. What changes faster than
   * the node's event loop turns is told as its last state, if that is another than was told last. A
   * connection with one path watches no interface.
   */
  default void onInterfaceDown(NodeInterface which) {}

  /**
   * Tells that an interface that was told to be down is up again: the system says so, or it has
   * answered. While no messages pass, it may be that nobody asks: then it is told after the next
   * ones. One that is forgotten because nothing uses it any more counts as up.
   */
  default void onInterfaceUp(NodeInterface which) {}
}
