package io.rtransport.netty;

import io.netty.util.concurrent.Future;
import io.rtransport.core.stats.CounterId;
import io.rtransport.netty.internal.loop.LoopDriver;
import java.util.concurrent.TimeUnit;

/**
 * Wait of an accepted channel until a handler of the server channel has registered it. Its
 * connection lives meanwhile, and messages that the peer begins are put off: a message keeps its
 * credit, a large one gets no grant. The connection is refused if it was handed over and no handler
 * registers it in time. Confined to the event loop of the connection.
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

  /**
   * Returns whether a message that begins now is put off: without handlers nobody can say where its
   * bytes go.
   */
  boolean putsOff() {
    if (link.hasHandlers()) {
      return false;
    }
    hasPutOff = true;
    return true;
  }

  /**
   * Tells that the channel has its handlers. They learn that the channel is active, and then get
   * the messages that were put off.
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

  /** Asks for the messages that were put off. The core gives them again at the end of the turn. */
  private void askAgain() {
    if (hasPutOff) {
      hasPutOff = false;
      link.connection().verbs().retryOpen();
      link.pumpDue();
    }
  }

  /**
   * Tells that the accepted channel has passed the server channel's handlers. One of them should
   * have registered it. If none has, the registration may still come until the limit; then the
   * connection is refused.
   *
   * @param failure an exception of one of these handlers; null if none threw
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

  /**
   * Tells that the accepted channel reached the end of the server's pipeline, where nothing
   * registers it.
   */
  void onUntaken() {
    refuse(NOT_REGISTERED);
  }

  /** Tells that the server channel closed before the application had read the connection. */
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

  /**
   * Tells that the channel is closed. The messages that were put off are asked for once more, and
   * refused.
   */
  void close() {
    stopLimit();
    askAgain();
  }
}
