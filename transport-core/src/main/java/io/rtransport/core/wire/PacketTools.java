package io.rtransport.core.wire;

/**
 * The tools with which an event loop reads and writes the packets of all its connections. Confined
 * to the event loop.
 *
 * @param integrity the checksum
 * @param reading the flyweights for received packets
 * @param writing the flyweights for packets to send
 */
public record PacketTools(Integrity integrity, Flyweights reading, Flyweights writing) {
  public PacketTools() {
    this(new Integrity(), new Flyweights(), new Flyweights());
  }
}
