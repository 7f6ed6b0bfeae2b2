package io.rtransport.netty.handler;

import io.rtransport.core.wire.PacketBurst;

/**
 * What the handlers of a channel's sublayers call: the verbs of its connection, one a stage. A
 * burst passes the stages in order; a stage that the one below has not passed it on to does
 * nothing, so without {@code rt-window} nothing flows. Called on the channel's event loop only.
 *
 * <p>A handler of the application's may drop packets ({@link PacketBurst#drop}) below {@code
 * rt-window} only: the peer sends those again. The window acknowledges what reaches it. A packet
 * that is dropped above it does not come again, and the messages of its records are lost.
 */
public interface BurstStages {
  /** Checks each packet at the one door, and drops what is refused there. */
  void wire(PacketBurst burst);

  /**
   * Notes in the receive windows what has come, which is acknowledged from then on, and drops what
   * had come before. Reads acknowledgements, and the packets of set-up, liveness and close.
   */
  void window(PacketBurst burst);

  /**
   * Hands the burst to the solicitation sublayer: grants, reassembly, order. No record of it is
   * read yet.
   */
  void solicitation(PacketBurst burst);

  /**
   * Reads the records of the burst that are not dropped, one after the other. What one has to say
   * is told before the next one is looked at: messages that begin, come and are whole, and ends. A
   * burst that does not come here is read by the connection once the handlers have returned.
   */
  void transaction(PacketBurst burst);

  /**
   * The end of a read batch: acknowledge, transmit, re-arm. Once for each batch, behind all of its
   * bursts; a read-complete that a handler fires by itself does nothing here.
   */
  void complete();

  /** Counts an event below {@code rt-transaction}. */
  void countEvent();
}
