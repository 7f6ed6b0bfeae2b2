package io.rtransport.netty;

import io.netty.util.concurrent.Future;
import io.rtransport.core.stats.CounterId;
import io.rtransport.netty.internal.loop.LoopDriver;
import java.util.concurrent.TimeUnit;

/**
 * How an accepted channel waits until a handler of the server channel has registered it. Its
 * connection lives meanwhile, and what the peer begins is put off: a message keeps its credit, a
 * large one gets no grant. The connection is refused if it is handed over and nobody registers it
 * in time. Confined to the event loop of the connection.
 */
final class ChildArrival {
  private static final String NOT_REGISTERED = "the server did not register the channel";

  private final DrivenChannel channel;
  private final PipelineLink link;
  private final LoopDriver driver;
  private boolean hasPutOff;
  private Future<?> limit;

  ChildArrival(DrivenChannel channel, PipelineLink link, LoopDriver driver) {
    this.channel = channel;
    this.link = link;
    this.driver = driver;
  }

  /** Whether a message that begins now is to be put off: nobody can say yet where it goes. */
  boolean putsOff() {
    if (link.hasHandlers()) {
      return false;
    }
    hasPutOff = true;
    return true;
  }

  /**
   * The channel has its handlers: they are told that it is active, and then of what was put off.
   */
  void onHandlers() {
    if (isOver()) {
      return;
    }
    link.pipe();
    stopLimit();
    askAgain();
    link.onHandlers();
  }

  /** The core asks for them again at the end of the turn. */
  private void askAgain() {
    if (hasPutOff) {
      hasPutOff = false;
      link.connection().verbs().retryOpen();
      link.pumpDue();
    }
  }

  /**
   * The accepted channel has been through the server channel's handlers, one of which is to have
   * registered it. If none has it may still come, until the limit: then the connection is refused.
   *
   * @param failure what a handler threw over it; null if none did
   */
  void onOffered(Throwable failure, long limitNs) {
    if (isOver()) {
      return;
    }
    if (failure != null) {
      refuse("a handler of the server broke");
      return;
    }
    limit = driver.loop().schedule(() -> refuse(NOT_REGISTERED), limitNs, TimeUnit.NANOSECONDS);
  }

  /** The accepted channel came to the end of the server's pipeline, where nobody registers it. */
  void onUntaken() {
    refuse(NOT_REGISTERED);
  }

  /** The server channel closed before the application had read the connection. */
  void onServerClosed() {
    refuse("the server closed");
  }

  private void refuse(String why) {
    if (!isOver()) {
      link.connection().counters().increment(CounterId.CHILDREN_REFUSED);
      channel.refuse(why);
    }
  }

  private boolean isOver() {
    return link.hasHandlers() || !channel.isOpen();
  }

  private void stopLimit() {
    if (limit != null) {
      limit.cancel(false);
      limit = null;
    }
  }

  /** The channel is closed: what was put off is asked for once more, and refused. */
  void close() {
    stopLimit();
    askAgain();
  }
}
