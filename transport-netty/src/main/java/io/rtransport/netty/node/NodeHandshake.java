package io.rtransport.netty.node;

import io.rtransport.core.node.RoutingHeader;
import io.rtransport.netty.Pull;
import io.rtransport.netty.facade.RtConnection;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;

/**
 * Finds out whether the peer is at the other end of a connection, and has it know this node. Two
 * questions: who is there, and, naming that incarnation, to be known by it. Through routers both go
 * on to the peer. At an address that a router has told, the router is asked for its name before.
 * Confined to the loop of its owner.
 */
final class NodeHandshake {
  /** Who connects. Told once how a handshake ended, on its loop. */
  interface Owner {
    /**
     * Returns the question who is there.
     *
     * @param by where it goes through routers; null: to the node at the other end
     */
    byte[] who(RoutingHeader by);

    /** Returns the question to know this node, to the peer that has answered so. */
    byte[] toBeKnown(Hello answered);

    /** The peer is there and knows this node. */
    void onKnown(RtConnection made, long incarnation);

    /**
     * Not the one who was meant is at the other end, or nobody who answers. The connection closes.
     *
     * @param isAnswer whether somebody has answered
     */
    void onStranger(RtConnection made, boolean isAnswer, String problem);

    /** It failed otherwise. The connection closes. */
    void onFailed(String problem);
  }

  private final NodeContext node;
  private final String peer;
  private final RoutingHeader routing; // null: no router is between
  private final Executor loop;
  private final Owner owner;

  NodeHandshake(NodeContext node, String peer, RoutingHeader routing, Executor loop, Owner owner) {
    this.node = node;
    this.peer = peer;
    this.routing = routing;
    this.loop = loop;
    this.owner = owner;
  }

  /** Begins with the router at the other end, which must have that name: another may be there. */
  void beginAtRouter(RtConnection made, String router) {
    ask(
        made,
        owner.who(null),
        (answer, failure) -> {
          Hello hello = failure == null ? Hello.read(answer) : null;
          if (hello != null && hello.name().equals(router)) {
            begin(made);
          } else {
            onStranger(made, failure, "no router " + router + " is at " + made.remoteAddress());
          }
        });
  }

  /** Asks who is at the other end. */
  void begin(RtConnection made) {
    ask(made, owner.who(routing), (answer, failure) -> onWho(made, answer, failure));
  }

  private void onWho(RtConnection made, byte[] answer, Throwable failure) {
    Hello hello = failure == null ? Hello.read(answer) : null;
    String problem =
        failure != null
            ? "no HELLO: " + failure.getMessage()
            : hello == null
                ? "the peer is no node"
                : hello.name().equals(peer)
                    ? null
                    : "the node at " + made.remoteAddress() + " calls itself " + hello.name();
    if (problem == null) {
      ask(made, owner.toBeKnown(hello), (same, refused) -> onKnown(made, hello, same, refused));
    } else if (routing == null) {
      onStranger(made, failure, problem);
    } else {
      made.close();
      owner.onFailed(problem);
    }
  }

  private void onKnown(RtConnection made, Hello hello, byte[] answer, Throwable failure) {
    if (failure == null && hello.isOfSame(Hello.read(answer))) {
      owner.onKnown(made, hello.incarnation());
    } else {
      made.close();
      owner.onFailed(failure == null ? "the peer is another" : "no HELLO: " + failure.getMessage());
    }
  }

  private void onStranger(RtConnection made, Throwable failure, String problem) {
    made.close();
    owner.onStranger(made, failure == null || AttemptFailure.isAnswer(failure), problem);
  }

  /**
   * Asks the peer over a connection that it knows to know this node anew.
   *
   * @param then gets the last answer: that of another life of the peer, or the second one
   */
  void repeat(RtConnection used, long incarnation, BiConsumer<byte[], Throwable> then) {
    ask(
        used,
        owner.who(routing),
        (answer, failure) -> {
          Hello hello = failure == null ? Hello.read(answer) : null;
          if (hello != null && hello.incarnation() == incarnation) {
            ask(used, owner.toBeKnown(hello), then);
          } else {
            then.accept(answer, failure);
          }
        });
  }

  private void ask(RtConnection made, byte[] question, BiConsumer<byte[], Throwable> then) {
    Pull pull =
        Pull.of(question, Hello.ANSWER_LENGTH_MAX).deadline(Duration.ofNanos(node.attemptNs()));
    made.pull(pull)
        .whenComplete(
            (answer, failure) ->
                loop.execute(() -> then.accept(answer, AttemptFailure.causeOf(failure))));
  }
}
