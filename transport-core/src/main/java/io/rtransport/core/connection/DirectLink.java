package io.rtransport.core.connection;

import io.rtransport.core.wire.PacketBurst;

/**
 * The sublayers joined by plain calls: what the simulator and the unit tests run, and what the
 * pipeline must equal.
 */
public final class DirectLink implements Link {
  /** Where packets leave. */
  public interface Wire {
    void transmit(PacketBurst burst, long nowNs);

    boolean hasRoom(int pathIndex);

    /** {@link Link#mayHaveUnread}. */
    default boolean mayHaveUnread() {
      return false;
    }
  }

  private final Wire wire;
  private Connection connection;

  public DirectLink(Wire wire) {
    this.wire = wire;
  }

  /** Names the connection whose sublayers are joined. Once, before the first packet. */
  public void bind(Connection owner) {
    connection = owner;
  }

  @Override
  public void receive(PacketBurst burst, long nowNs) {
    connection.wire().onBurst(burst, nowNs);
    connection.onBurstAtWindow(burst, nowNs);
    connection.onBurstAtSolicitation(burst, nowNs);
    connection.onBurstAtTransaction();
  }

  @Override
  public void transmit(PacketBurst burst, long nowNs) {
    wire.transmit(burst, nowNs);
  }

  @Override
  public boolean hasRoom(int pathIndex) {
    return wire.hasRoom(pathIndex);
  }

  @Override
  public boolean mayHaveUnread() {
    return wire.mayHaveUnread();
  }
}
