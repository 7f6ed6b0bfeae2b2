package io.rtransport.netty.queue;

import io.rtransport.core.outcome.CloseReason;
import java.util.Set;

/**
 * What a consumer does with what it is given. Called on the thread that polls, inside of {@link
 * RtQueues#poll} and {@link RtQueues#await}. It may post and answer; it must not poll.
 *
 * <p>An exception that it throws over a message or a request fails that one: its peer hears that
 * the outcome is unknown. It is logged once for each connection, and the poll goes on.
 */
public interface RtQueueHandler {
  /** Takes the end of an own transaction. The answer to a pull stands in the entry's buffer. */
  void onCompletion(RtQueueEntry entry);

  /**
   * Takes a message of a peer. It is acknowledged when this method returns, unless it was
   * {@linkplain RtQueueEntry#defer deferred}: then the application answers it, in here or later. By
   * default it fails.
   */
  default void onMessage(RtQueueEntry entry) {
    entry.connection().fail(entry.defer(), RtQueueConnection.NOT_SERVED, "no messages are taken");
  }

  /**
   * Takes a request of a peer for bytes. It is {@linkplain RtQueueEntry#defer deferred}, and
   * answered by {@link RtQueueConnection#respond} or {@link RtQueueConnection#fail}, in here or
   * later; else it fails. By default it fails.
   */
  default void onRequest(RtQueueEntry entry) {
    entry.connection().fail(entry.defer(), RtQueueConnection.NOT_SERVED, "no requests are served");
  }

  /**
   * Tells of a connection that is set up, own or accepted, before all else that it brings. Only the
   * end of a post that was not executed may come before.
   */
  default void onOpen(RtQueueConnection connection) {}

  /**
   * Tells what happened to a rail of a connection since the last call for it. Rails are the ways to
   * the peer of a connection that has several (option {@code RAILS}); one with a single way has
   * rail 0, of which only MOVED is told.
   *
   * @param rail its number, 0 to 7; {@link RtQueueConnection#railAddress} says where it leads
   * @param last what happened last: how it is now
   * @param all what happened at all, {@code last} too. What happened twice is there once
   */
  default void onRail(
      RtQueueConnection connection, int rail, RtQueueRailEvent last, Set<RtQueueRailEvent> all) {}

  /**
   * Tells that the peer begins nothing more. All that it has begun was handed over before, but
   * requests that it has given up and that had no place.
   */
  default void onPeerFinished(RtQueueConnection connection) {}

  /**
   * Tells that a connection has ended. Nothing of it follows: each of its transactions has had its
   * end.
   */
  default void onClosed(RtQueueConnection connection, CloseReason reason) {}
}
