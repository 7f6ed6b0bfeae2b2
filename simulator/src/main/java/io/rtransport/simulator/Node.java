package io.rtransport.simulator;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.connection.Connection;
import io.rtransport.core.connection.Endpoint;
import io.rtransport.core.connection.EndpointConfig;
import io.rtransport.core.connection.LoopResources;
import io.rtransport.core.connection.NidUse;
import io.rtransport.core.connection.NodeIdentity;
import io.rtransport.core.connection.Pair;
import io.rtransport.core.outcome.SendFailure;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.solicitation.NodeBudgets;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.transaction.OutboxEntry;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Event loop of a host: an endpoint, and the turns of its connections. After each call it polls the
 * connection's entries, gives them to the application, and then transmits, until neither has more.
 * A call of the application from inside such a call is done after it.
 */
public final class Node {
  /** Sends packets that belong to no connection. */
  @FunctionalInterface
  public interface StraySender {
    /**
     * @param ni index of the interface that they leave by
     */
    void send(ByteBuffer buffer, int offset, int length, int ni, InetSocketAddress to);
  }

  private final Endpoint endpoint;
  private final StraySender strays;

  /**
   * Creates the event loop.
   *
   * @param waker called when {@link #onWake} must be called
   */
  public Node(
      EndpointConfig config,
      LoopResources loop,
      NodeBudgets budgets,
      StraySender strays,
      Runnable waker,
      RandomGenerator secrets) {
    this.endpoint = new Endpoint(config, loop, budgets, waker, secrets);
    this.strays = strays;
  }

  public Endpoint endpoint() {
    return endpoint;
  }

  // ---- connections

  /** Begins a connection from the first interface: {@link #attach} and {@link #flush} follow. */
  public Connection connect(ConnectionConfig wishes, InetSocketAddress remote, long nowNs) {
    return endpoint.connect(wishes, remote, nowNs);
  }

  /** Begins a connection over any of {@code pairs}. */
  public Connection connect(ConnectionConfig wishes, List<Pair> pairs, long nowNs) {
    return endpoint.connect(wishes, pairs, nowNs);
  }

  /**
   * Begins a connection likewise, which uses addresses that its target tells from new interfaces.
   */
  public Connection connectAndLearn(ConnectionConfig wishes, List<Pair> pairs, long nowNs) {
    return endpoint.connect(wishes, pairs, List.of(), NidUse.FROM_NEW_INTERFACE, nowNs);
  }

  /** Attaches {@code application} above {@code connection}. */
  public void attach(Connection connection, Wire wire, Application application) {
    connection.attach(
        new Turns(connection, wire, application),
        application.pushSupplier(),
        Limits.PACKET_LENGTH_MAX);
  }

  /**
   * Tells that a connection found by {@link #route} is attached: it reports that it is established.
   */
  public void arrived(Connection connection, long nowNs) {
    turnsOf(connection).drain();
    flushOthers(nowNs);
  }

  /** Returns whether {@code connection} was attached. If not, it is the peer's, and new. */
  public static boolean isAttached(Connection connection) {
    return connection.attachment() != null;
  }

  private static Turns turnsOf(Connection connection) {
    return (Turns) connection.attachment();
  }

  // ---- turns

  /** Routes a packet of a host with one network interface. */
  public Connection route(
      ByteBuffer buffer, int offset, int length, InetSocketAddress from, long nowNs) {
    return route(buffer, offset, length, 0, from, nowNs);
  }

  /**
   * Returns the connection of a packet that came in by interface {@code ni}, or null. A new
   * connection must be attached at once.
   */
  public Connection route(
      ByteBuffer buffer, int offset, int length, int ni, InetSocketAddress from, long nowNs) {
    Connection found = endpoint.route(buffer, offset, length, ni, from, nowNs);
    if (found == null || isAttached(found)) {
      flushOthers(nowNs);
    }
    return found;
  }

  /** Returns the index of the open path that the packet last routed came by. */
  public int arrival() {
    return endpoint.arrival();
  }

  /** Handles a packet of a host with one network interface that belongs to no connection. */
  public void onStray(
      ByteBuffer buffer,
      int offset,
      int length,
      InetSocketAddress from,
      ConnectionConfig accepting,
      long nowNs) {
    onStray(buffer, offset, length, 0, from, accepting, nowNs);
  }

  /**
   * Handles a packet that belongs to no connection.
   *
   * @param ni index of the interface that it came in by
   * @param accepting the configuration of a connection that it may begin; null to refuse it
   */
  public void onStray(
      ByteBuffer buffer,
      int offset,
      int length,
      int ni,
      InetSocketAddress from,
      ConnectionConfig accepting,
      long nowNs) {
    int answerLength = endpoint.onStray(buffer, offset, length, ni, from, accepting, nowNs);
    if (answerLength > 0) {
      strays.send(endpoint.answer(), 0, answerLength, ni, from);
    }
    flushOthers(nowNs);
  }

  /** Takes a burst of a read batch. {@link #receiveComplete} follows the last burst. */
  public void receive(Connection connection, PacketBurst burst, long nowNs) {
    turnsOf(connection).receive(burst, nowNs);
  }

  public void receiveComplete(Connection connection, long nowNs) {
    Turns turns = turnsOf(connection);
    turns.isReceiving = false;
    turns.drive(nowNs);
  }

  /** Drives the connection after a submission or new room, unless a read batch is in progress. */
  public void flush(Connection connection, long nowNs) {
    turnsOf(connection).flush(nowNs);
  }

  public void onTimeout(long nowNs) {
    endpoint.onTimeout(nowNs);
    for (Connection expired = endpoint.pollExpired(nowNs);
        expired != null;
        expired = endpoint.pollExpired(nowNs)) {
      Turns turns = turnsOf(expired);
      expired.onTimeout(turns.wire.mayHaveUnread(), nowNs);
      turns.drive(nowNs);
    }
    flushOthers(nowNs);
  }

  public void onWake(long nowNs) {
    flushOthers(nowNs);
  }

  /** Drives the connections that another's packet gave entries or budget. */
  private void flushOthers(long nowNs) {
    for (Connection other = endpoint.nextWithWork();
        other != null;
        other = endpoint.nextWithWork()) {
      turnsOf(other).flush(nowNs);
    }
  }

  // ---- ends

  public void close(Connection connection, int code, String text, long nowNs) {
    connection.close(code, text, nowNs);
    flush(connection, nowNs);
  }

  public void abort(Connection connection, int code, String text, long nowNs) {
    connection.abort(code, text, nowNs);
    flush(connection, nowNs);
  }

  /** Tells that the system did not send a packet of a path. */
  public void onSendFailed(Connection connection, int pathIndex, SendFailure failure, long nowNs) {
    connection.onSendFailed(pathIndex, failure, nowNs);
    turnsOf(connection).drive(nowNs);
  }

  /** Ends the connection: the application threw while it handled an entry. */
  public void endByDefect(Connection connection, long nowNs) {
    Turns turns = turnsOf(connection);
    turns.isReceiving = false;
    turns.isDriving = false;
    connection.endByDefect(nowNs);
    turns.drive(nowNs);
  }

  // ---- of the endpoint

  public long nextDeadlineNs() {
    return endpoint.nextDeadlineNs();
  }

  public boolean isHalfOpen(int cid) {
    return endpoint.isHalfOpen(cid);
  }

  public void identity(NodeIdentity shared) {
    endpoint.identity(shared);
  }

  public void timerTickNs(long ns) {
    endpoint.timerTickNs(ns);
  }

  public int size() {
    return endpoint.size();
  }

  public Counters counters() {
    return endpoint.counters();
  }

  /** The turns of one connection. */
  private static final class Turns {
    private final Connection connection;
    private final Wire wire;
    private final Application application;
    private final OutboxEntry entry = new OutboxEntry();
    private boolean isReceiving;
    private boolean isDriving;
    private boolean isDriveDue;
    private boolean isDraining;

    /** Whether the application threw at an entry. Then it gets no more entries. */
    private boolean isBroken;

    Turns(Connection connection, Wire wire, Application application) {
      this.connection = connection;
      this.wire = wire;
      this.application = application;
    }

    void receive(PacketBurst burst, long nowNs) {
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

    void flush(long nowNs) {
      if (!isReceiving) {
        drive(nowNs);
      }
    }

    void drive(long nowNs) {
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
          drain(); // Entries that the end of its turn has brought.
        } while (isDriveDue);
      } finally {
        isDriving = false;
      }
    }

    private int room() {
      int room = 0;
      int open = connection.openPaths();
      for (int i = 0; open >>> i != 0; i++) {
        room |= (open & 1 << i) != 0 && wire.hasRoom(i) ? 1 << i : 0;
      }
      return room;
    }

    /** Gives all entries to the application. */
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
}
