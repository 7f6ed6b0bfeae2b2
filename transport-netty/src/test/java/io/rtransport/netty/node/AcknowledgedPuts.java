package io.rtransport.netty.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.outcome.MessageStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Messages to the node "counter", some of them under way at a time, and how each ended. */
final class AcknowledgedPuts {
  /** Not the usual 10 s: on a busy machine the first messages through a new JVM need that. */
  private static final CallOptions PATIENT = CallOptions.USUAL.within(Duration.ofSeconds(100));

  private final List<CompletableFuture<MessageStatus>> ends = new ArrayList<>();
  private final Semaphore room;

  AcknowledgedPuts(int underWayMax) {
    room = new Semaphore(underWayMax);
  }

  /** Returns the number of the next message. */
  int next() {
    return ends.size();
  }

  /** Sends it, once there is room. */
  void send(RtNode node, byte[] payload) throws InterruptedException {
    assertThat(room.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
    ends.add(
        node.putAcknowledged("counter", payload, new byte[0], PATIENT)
            .handle(
                (nothing, failure) -> {
                  room.release();
                  return failure == null ? MessageStatus.COMPLETED : statusOf(failure);
                }));
  }

  private static MessageStatus statusOf(Throwable failure) {
    Throwable cause = failure.getCause() == null ? failure : failure.getCause();
    return ((NodeException) cause).status();
  }

  int underWay() {
    return (int) ends.stream().filter(end -> !end.isDone()).count();
  }

  /** Returns how each ended, by its number, once all have. */
  List<MessageStatus> statuses() throws Exception {
    List<MessageStatus> statuses = new ArrayList<>();
    for (CompletableFuture<MessageStatus> end : ends) {
      statuses.add(end.get(100, TimeUnit.SECONDS));
    }
    return statuses;
  }
}
