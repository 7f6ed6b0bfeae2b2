package io.rtransport.netty;

import io.rtransport.core.wire.PacketBurst;
import io.rtransport.netty.handler.BurstStages;

/** The handlers' way to a link that comes into being after them. */
final class StageRelay implements BurstStages {
  private PipelineLink link;

  void link(PipelineLink newLink) {
    link = newLink;
  }

  @Override
  public void wire(PacketBurst burst) {
    link.wire(burst);
  }

  @Override
  public void window(PacketBurst burst) {
    link.window(burst);
  }

  @Override
  public void solicitation(PacketBurst burst) {
    link.solicitation(burst);
  }

  @Override
  public void transaction(PacketBurst burst) {
    link.transaction(burst);
  }

  @Override
  public void complete() {
    if (link != null) {
      link.complete();
    }
  }

  @Override
  public void countEvent() {
    if (link != null) {
      link.countEvent();
    }
  }
}
