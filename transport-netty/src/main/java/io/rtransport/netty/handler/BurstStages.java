package io.rtransport.netty.handler;

import io.rtransport.core.burst.PacketBurst;

/**
 * Stages of a connection, one for each sublayer handler of its channel. A burst passes them in
 * order. A stage does nothing with a burst that the stage below has not passed on, so without
 * {@code rt-window} nothing flows. Called on the channel's event loop only.
 *
 * <p>An application's handler may drop packets ({@link PacketBurst#drop}) below {@code rt-window}
 * only: the peer sends those again. The window acknowledges every packet that reaches it. A packet
 * dropped above it does not come again, and the messages of its records are lost.
 */
public interface BurstStages {
  /** Checks each packet at the one door, and drops those that the door refuses. */
  void wire(PacketBurst burst);

  /**
   * Notes the packets in the receive windows, acknowledges them from then on, and drops those that
   * had come before. Reads acknowledgements, and the packets of set-up, liveness and close.
   */
  void window(PacketBurst burst);

  /**
   * Hands the burst to the solicitation sublayer: grants, reassembly, order. It reads no record
   * yet.
   */
  void solicitation(PacketBurst burst);

  /**
   * Reads the records of the packets that are not dropped, one after the other. The events of a
   * record are told before the next record is read: messages that begin, come and are whole, and
   * ends. If a burst does not get here, the connection reads it once the handlers have returned.
   */
  void transaction(PacketBurst burst);

  /**
   * Ends a read batch: acknowledges, transmits, sets the next deadline. Called once for each batch,
   * after all its bursts. A read-complete that a handler fires by itself does nothing here.
   */
  void complete();

  /** Counts an event below {@code rt-transaction}. */
  void countEvent();
}
