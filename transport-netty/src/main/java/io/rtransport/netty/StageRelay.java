package io.rtransport.netty;

import io.rtransport.core.wire.PacketBurst;
import io.rtransport.netty.handler.BurstStages;

/**
 * The handlers' way to a link that comes into being after them. What a stage throws ends the
 * connection: Netty would hand it to the application's handlers, and leave a connection that has
 * lost half a burst.
 */
final class StageRelay implements BurstStages {
  private PipelineLink link;

  void link(PipelineLink newLink) {
    link = newLink;
  }

  @Override
  public void wire(PacketBurst burst) {
    try {
      link.wire(burst);
    } catch (RuntimeException | Error e) {
      link.onDefect(e);
    }
  }

  @Override
  public void window(PacketBurst burst) {
    try {
      link.window(burst);
    } catch (RuntimeException | Error e) {
      link.onDefect(e);
    }
  }

  @Override
  public void solicitation(PacketBurst burst) {
    try {
      link.solicitation(burst);
    } catch (RuntimeException | Error e) {
      link.onDefect(e);
    }
  }

  @Override
  public void transaction(PacketBurst burst) {
    try {
      link.transaction(burst);
    } catch (RuntimeException | Error e) {
      link.onDefect(e);
    }
  }

  @Override
  public void complete() {
    if (link != null) {
      try {
        link.complete();
      } catch (RuntimeException | Error e) {
        link.onDefect(e);
      }
    }
  }

  @Override
  public void countEvent() {
    if (link != null) {
      link.countEvent();
    }
  }
}
