package io.rtransport.core.wire;

/**
 * What an event loop reads and writes packets with, for all its connections. Confined to the loop.
 *
 * @param integrity the checksum
 * @param reading the flyweights of packets that came
 * @param writing the flyweights of packets that leave
 */
public record PacketTools(Integrity integrity, Flyweights reading, Flyweights writing) {
  public PacketTools() {
    this(new Integrity(), new Flyweights(), new Flyweights());
  }
}
