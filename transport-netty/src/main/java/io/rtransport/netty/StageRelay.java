package io.rtransport.netty;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.netty.handler.BurstStages;

/**
 * Passes the handlers' calls to the link, which is made after the handlers. An exception of a stage
 * ends the connection. Netty would only hand it to the application's handlers, and keep a
 * connection that has lost half a burst.
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
