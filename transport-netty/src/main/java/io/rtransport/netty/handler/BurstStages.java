package io.rtransport.netty.handler;

import io.rtransport.core.wire.PacketBurst;

/**
 * What the handlers of a channel's sublayers call: the verbs of its connection, one a stage. A
 * burst passes the stages in order; a stage that the one below has not passed it on to does
 * nothing, so without {@code rt-window} nothing flows. Called on the channel's event loop only.
 */
public interface BurstStages {
  /** Checks each packet at the one door. */
  void wire(PacketBurst burst);

  /** Receive windows, acknowledgements, and the packets of set-up and close. */
  void window(PacketBurst burst);

  /** Grants, reassembly, order. */
  void solicitation(PacketBurst burst);

  /** Completions. */
  void transaction(PacketBurst burst);

  /**
   * The end of a read batch: acknowledge, transmit, re-arm. Once for each batch, behind all of its
   * bursts; a read-complete that a handler fires by itself does nothing here.
   */
  void complete();

  /** Counts an event below {@code rt-transaction}. */
  void countEvent();
}
