package io.rtransport.netty;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.rtransport.core.burst.PacketBurst;
import io.rtransport.netty.handler.BurstStages;

/**
 * Way of a burst through the stages of its connection: from the port to its records. The handlers
 * call the stages, once the channel has handlers; before that and after a close this class does. A
 * stage takes a burst only from the stage below.
 *
 * <p>An exception of a stage ends the connection. Netty would only hand it to the application's
 * handlers, and keep a connection that has lost half a burst.
 *
 * <p>The link is made after the handlers. Confined to the event loop.
 */
final class InboundStages implements BurstStages {
  // Stage that the current burst has reached. The stages are numbers: each store of a reference
  // into an old object would cost the garbage collector's barrier.
  private static final int AT_PORT = 0;
  private static final int AT_WIRE = 1;
  private static final int AT_WINDOW = 2;
  private static final int AT_SOLICITATION = 3;

  private StagedLink link;
  private int stage = AT_PORT;
  private boolean isReceiving;
  private boolean isCompleteDue;
  private ChannelHandlerContext receivingFrom;
  private long events;

  void link(StagedLink newLink) {
    link = newLink;
  }

  /**
   * Carries a burst up. Nothing reads its packets after this call has returned.
   *
   * @param from the handler above which the burst begins its way up; null: below all handlers, or
   *     above the same one as the burst that is being received
   */
  void receive(ChannelHandlerContext from, PacketBurst burst) {
    isReceiving = true;
    if (from != null) {
      receivingFrom = from;
    }
    try {
      carryUp(burst);
      link.drain(); // if no stage got that far
    } catch (RuntimeException | Error e) {
      link.onDefect(e);
    } finally {
      link.connection().dropBurst();
      isReceiving = false;
      if (from != null) {
        receivingFrom = null;
      }
    }
  }

  /** Returns whether a burst is being read. */
  boolean isReceiving() {
    return isReceiving;
  }

  private void carryUp(PacketBurst burst) {
    stage = AT_PORT;
    if (!link.isPiped()) {
      check(burst);
      note(burst);
      handOn(burst);
      read(burst);
    } else if (receivingFrom == null) {
      link.pipeline().fireChannelRead(burst);
    } else {
      receivingFrom.fireChannelRead(burst);
    }
  }

  @Override
  public void wire(PacketBurst burst) {
    try {
      check(burst);
    } catch (RuntimeException | Error e) {
      link.onDefect(e);
    }
  }

  private void check(PacketBurst burst) {
    if (!isReceiving) { // its packets might be gone before they are read
      throw new IllegalStateException("a handler's own burst, valid: by SublayerPipeline.receive");
    }
    stage = AT_WIRE;
    link.connection().wire().onBurst(burst, link.nowNs());
  }

  @Override
  public void window(PacketBurst burst) {
    try {
      note(burst);
    } catch (RuntimeException | Error e) {
      link.onDefect(e);
    }
  }

  private void note(PacketBurst burst) {
    if (stage == AT_WIRE) {
      stage = AT_WINDOW;
      link.connection().onBurstAtWindow(burst, link.nowNs());
    }
  }

  @Override
  public void solicitation(PacketBurst burst) {
    try {
      handOn(burst);
    } catch (RuntimeException | Error e) {
      link.onDefect(e);
    }
  }

  private void handOn(PacketBurst burst) {
    if (stage == AT_WINDOW) {
      stage = AT_SOLICITATION;
      link.connection().onBurstAtSolicitation(burst, link.nowNs());
    }
  }

  @Override
  public void transaction(PacketBurst burst) {
    try {
      read(burst);
    } catch (RuntimeException | Error e) {
      link.onDefect(e);
    }
  }

  private void read(PacketBurst burst) {
    if (stage == AT_SOLICITATION) {
      try {
        link.drain();
      } finally {
        link.connection().dropBurst();
      }
      link.readReady();
    }
  }

  /**
   * Ends the batch, even if the handler that should tell of it is gone. Without that the core would
   * wait for ever.
   *
   * @param told the pipeline whose handlers are told of it; null: none
   */
  void endBatch(ChannelPipeline told) {
    isCompleteDue = true;
    if (told != null) {
      told.fireChannelReadComplete();
    }
    completeIfDue();
  }

  @Override
  public void complete() {
    try {
      completeIfDue();
    } catch (RuntimeException | Error e) {
      link.onDefect(e);
    }
  }

  private void completeIfDue() {
    if (isCompleteDue) { // else an event of a handler's own; the batch's event comes later, once
      isCompleteDue = false;
      link.onBatchComplete();
    }
  }

  @Override
  public void countEvent() {
    if (link != null) {
      events++;
    }
  }

  /** Returns how many events the sublayer handlers have counted. */
  long events() {
    return events;
  }
}
