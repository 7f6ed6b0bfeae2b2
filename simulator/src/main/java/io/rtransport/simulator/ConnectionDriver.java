package io.rtransport.simulator;

import io.rtransport.core.connection.Connection;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.wire.PacketBurst;

/**
 * The plain driver of one connection: after each call it polls what the connection has to say, and
 * gives it to the application, then transmits, until neither has more. What the application asks
 * for from inside such a call is done behind it.
 */
public final class ConnectionDriver {
  /** Where packets leave. */
  public interface Wire {
    void transmit(PacketBurst burst, long nowNs);

    boolean hasRoom(int pathIndex);

    /** Whether packets for the connection may lie unread below. */
    default boolean mayHaveUnread() {
      return false;
    }
  }

  private final Connection connection;
  private final Wire wire;
  private final Application application;
  private final OutboxEntry entry = new OutboxEntry();
  private boolean isReceiving;
  private boolean isDriving;
  private boolean isDriveDue;
  private boolean isDraining;

  /** Whether something was thrown over what it had to say: till its end it is told no more. */
  private boolean isBroken;

  private ConnectionDriver(Connection connection, Wire wire, Application application) {
    this.connection = connection;
    this.wire = wire;
    this.application = application;
  }

  /** Drives {@code connection} from now on. */
  public static ConnectionDriver attach(
      Connection connection, Wire wire, Application application) {
    ConnectionDriver driver = new ConnectionDriver(connection, wire, application);
    connection.attach(driver, application.pushSupplier(), Limits.PACKET_LENGTH_MAX);
    return driver;
  }

  /** The one that drives {@code connection}. */
  public static ConnectionDriver of(Connection connection) {
    return (ConnectionDriver) connection.attachment();
  }

  /** A burst of a read batch, whose last one {@link #receiveComplete} follows. */
  public void receive(PacketBurst burst, long nowNs) {
    if (isBroken) {
      return;
    }
    isReceiving = true;
    try {
      connection.receive(burst, nowNs);
      drain();
    } finally {
      connection.dropBurst();
    }
  }

  public void receiveComplete(long nowNs) {
    isReceiving = false;
    drive(nowNs);
  }

  /** The application has submitted, or there is room again: unless a read batch is under way. */
  public void flush(long nowNs) {
    if (!isReceiving) {
      drive(nowNs);
    }
  }

  public void onTimeout(long nowNs) {
    connection.onTimeout(wire.mayHaveUnread(), nowNs);
    drive(nowNs);
  }

  public void onUnreachable(long nowNs) {
    connection.onUnreachable(nowNs);
    drive(nowNs);
  }

  public void close(int code, String text, long nowNs) {
    connection.close(code, text, nowNs);
    flush(nowNs);
  }

  public void abort(int code, String text, long nowNs) {
    connection.abort(code, text, nowNs);
    flush(nowNs);
  }

  public void endByDefect(long nowNs) {
    isReceiving = false;
    isDriving = false;
    connection.endByDefect(nowNs);
    drive(nowNs);
  }

  private void drive(long nowNs) {
    if (isDriving || isDraining) {
      isDriveDue = true;
      return;
    }
    isDriving = true;
    try {
      do {
        isDriveDue = false;
        drain();
        for (PacketBurst out = connection.pollTransmit(room(), nowNs);
            out != null;
            out = connection.pollTransmit(room(), nowNs)) {
          wire.transmit(out, nowNs);
        }
        drain(); // what the end of its turn has brought
      } while (isDriveDue);
    } finally {
      isDriving = false;
    }
  }

  private int room() {
    return wire.hasRoom(0) ? 1 : 0;
  }

  /** Tells all that there is to say. */
  void drain() {
    if (isDraining) {
      return;
    }
    isDraining = true;
    boolean isThrough = false;
    try {
      while ((connection.isEnded() || !isBroken) && connection.poll(entry)) {
        application.onEntry(entry);
      }
      isThrough = true;
    } finally {
      isDraining = false;
      isBroken |= !isThrough;
    }
  }
}
