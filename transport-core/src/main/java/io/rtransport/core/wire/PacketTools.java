package io.rtransport.core.wire;

/**
 * Tools by which an event loop reads and writes packets, for all its connections. Confined to the
 * loop.
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
