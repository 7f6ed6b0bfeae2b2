package io.rtransport.netty;

import io.netty.util.concurrent.Future;
import io.rtransport.core.stats.CounterId;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/**
 * How an accepted channel waits until a handler of the server channel has registered it: its packets are kept meanwhile, and the connection is
 * refused if none does in time. Confined to the event loop of the connection.
 */
final class ChildArrival {
  private static final String NOT_REGISTERED = "the server did not register the channel";

  private final RtChannel channel;
  private final PipelineLink link;
  private final LoopDriver driver;
  private PacketBatch parked;
  private Future<?> limit;

  ChildArrival(RtChannel channel, PipelineLink link, LoopDriver driver) {
    this.channel = channel;
    this.link = link;
    this.driver = driver;
  }

  /** Keeps what comes until the channel has its handlers. */
  void park() {
    parked = new PacketBatch(link.port());
  }

  boolean isParked() {
    return parked != null;
  }

  /** Keeps a copy; what is too much is lost, and comes again. */
  void park(ByteBuffer view, int offset, int length, InetSocketAddress from) {
    if (!parked.add(view, offset, length, from)) {
      link.connection().counters().increment(CounterId.DROP_STATE);
    }
  }

  /** The channel has its handlers: they are told that it is active, and then of what was kept. */
  void onHandlers() {
    if (isOver()) {
      return;
    }
    link.pipe();
    stopLimit();
    if (parked != null) {
      driver.loop().execute(this::unpark);
    }
  }

  /**
   * The accepted channel has been through the server channel's handlers, one of which is to have registered it. If none has it may still
   * come, until the limit: then the connection is refused.
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
    if (parked == null) {
      park();
    }
    limit = driver.loop().schedule(() -> refuse(NOT_REGISTERED), limitNs, TimeUnit.NANOSECONDS);
  }

  /** The accepted channel came to the end of the server's pipeline, where nobody registers it. */
  void onUntaken() {
    refuse(NOT_REGISTERED);
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

  private void unpark() {
    if (parked != null) {
      PacketBatch kept = parked;
      parked = null;
      driver.take(kept);
    }
  }

  private void stopLimit() {
    if (limit != null) {
      limit.cancel(false);
      limit = null;
    }
  }

  /** The channel is closed: nobody is left to read what was kept. */
  void close() {
    stopLimit();
    if (parked != null) {
      parked.release();
      parked = null;
    }
  }
}
