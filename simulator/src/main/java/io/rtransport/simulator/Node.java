package io.rtransport.simulator;

import io.rtransport.core.connection.Connection;
import io.rtransport.core.connection.ConnectionConfig;
import io.rtransport.core.connection.Endpoint;
import io.rtransport.core.connection.EndpointConfig;
import io.rtransport.core.connection.LoopResources;
import io.rtransport.core.connection.NodeIdentity;
import io.rtransport.core.solicitation.NodeBudgets;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.wire.PacketBurst;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;

/**
 * The event loop of a host: an endpoint, and the turns of its connections. After each call it polls
 * what the connection has to say, and gives it to the application, then transmits, until neither
 * has more. What the application asks for from inside such a call is done behind it.
 */
public final class Node {
  /** Sends packets that belong to no connection. */
  @FunctionalInterface
  public interface StraySender {
    void send(ByteBuffer buffer, int offset, int length, InetSocketAddress to);
  }

  private final Endpoint endpoint;
  private final StraySender strays;

  /**
   * @param waker called when {@link #onWake} is to be called
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

  /** Begins one: {@link #attach} and {@link #flush} follow. */
  public Connection connect(ConnectionConfig wishes, InetSocketAddress remote, long nowNs) {
    return endpoint.connect(wishes, remote, nowNs);
  }

  /** From now on {@code application} stands above {@code connection}. */
  public void attach(Connection connection, Wire wire, Application application) {
    connection.attach(
        new Turns(connection, wire, application),
        application.pushSupplier(),
        Limits.PACKET_LENGTH_MAX);
  }

  /** A connection that {@link #route} found is attached: it says that it is set up. */
  public void arrived(Connection connection, long nowNs) {
    turnsOf(connection).drain();
    flushOthers(nowNs);
  }

  /** Whether {@code connection} was attached; one that was not is a peer's, and new. */
  public static boolean isAttached(Connection connection) {
    return connection.attachment() != null;
  }

  private static Turns turnsOf(Connection connection) {
    return (Turns) connection.attachment();
  }

  // ---- turns

  /** Whose packet it is; null for nobody's. A new connection is to be attached at once. */
  public Connection route(
      ByteBuffer buffer, int offset, int length, InetSocketAddress from, long nowNs) {
    Connection found = endpoint.route(buffer, offset, length, from, nowNs);
    if (found == null || isAttached(found)) {
      flushOthers(nowNs);
    }
    return found;
  }

  /**
   * A packet that is nobody's.
   *
   * @param accepting the configuration of a connection that it may begin; null to refuse it
   */
  public void onStray(
      ByteBuffer buffer,
      int offset,
      int length,
      InetSocketAddress from,
      ConnectionConfig accepting,
      long nowNs) {
    int answerLength = endpoint.onStray(buffer, offset, length, from, accepting, nowNs);
    if (answerLength > 0) {
      strays.send(endpoint.answer(), 0, answerLength, from);
    }
    flushOthers(nowNs);
  }

  /** A burst of a read batch, whose last one {@link #receiveComplete} follows. */
  public void receive(Connection connection, PacketBurst burst, long nowNs) {
    turnsOf(connection).receive(burst, nowNs);
  }

  public void receiveComplete(Connection connection, long nowNs) {
    Turns turns = turnsOf(connection);
    turns.isReceiving = false;
    turns.drive(nowNs);
  }

  /** The application has submitted, or there is room again: unless a read batch is under way. */
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

  /** Those that have something to say by what came for another, or have their budget. */
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

  /** The network refuses what is sent to the peer. */
  public void onUnreachable(Connection connection, long nowNs) {
    connection.onUnreachable(nowNs);
    turnsOf(connection).drive(nowNs);
  }

  /** The application has thrown over what it was told. */
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

    /** Whether something was thrown over what it had to say: till its end it is told no more. */
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
          drain(); // what the end of its turn has brought
        } while (isDriveDue);
      } finally {
        isDriving = false;
      }
    }

    private int room() {
      return wire.hasRoom(0) ? 1 : 0;
    }

    /** Gives all that there is to say. */
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
