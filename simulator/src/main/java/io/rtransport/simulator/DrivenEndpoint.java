package io.rtransport.simulator;

import io.rtransport.core.connection.Connection;
import io.rtransport.core.connection.ConnectionConfig;
import io.rtransport.core.connection.Endpoint;
import io.rtransport.core.connection.EndpointConfig;
import io.rtransport.core.connection.LoopResources;
import io.rtransport.core.connection.NodeIdentity;
import io.rtransport.core.solicitation.NodeBudgets;
import io.rtransport.core.stats.Counters;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;

/** An endpoint whose connections are driven by a {@link ConnectionDriver} each. */
public final class DrivenEndpoint {
  /** Sends packets that belong to no connection. */
  @FunctionalInterface
  public interface StraySender {
    void send(ByteBuffer buffer, int offset, int length, InetSocketAddress to);
  }

  private final Endpoint endpoint;
  private final StraySender strays;
  private Acceptor acceptor;

  public DrivenEndpoint(
      EndpointConfig config,
      LoopResources loop,
      NodeBudgets budgets,
      StraySender strays,
      Runnable waker,
      RandomGenerator secrets) {
    this.endpoint = new Endpoint(config, loop, budgets, waker, secrets);
    this.strays = strays;
  }

  /** What it drives. */
  public Endpoint core() {
    return endpoint;
  }

  /** Starts to accept connections, or, with null, stops; those that are set up live on. */
  public void acceptor(Acceptor newAcceptor) {
    acceptor = newAcceptor;
  }

  public Connection connect(ConnectionConfig wishes, InetSocketAddress remote, long nowNs) {
    return endpoint.connect(wishes, remote, nowNs);
  }

  /** {@link Endpoint#route}; a new connection is accepted, and has told that it is set up. */
  public Connection route(
      ByteBuffer buffer, int offset, int length, InetSocketAddress from, long nowNs) {
    Connection found = endpoint.route(buffer, offset, length, from, nowNs);
    if (found != null && found.attachment() == null) {
      boolean isAccepted = acceptor.accept(found, from);
      ConnectionDriver.of(found).drain();
      if (!isAccepted) {
        ConnectionDriver.of(found).abort(256, "not accepted", nowNs);
      }
    }
    driveOthers(nowNs);
    return found;
  }

  public void onStray(
      ByteBuffer buffer, int offset, int length, InetSocketAddress from, long nowNs) {
    ConnectionConfig accepting = acceptor == null ? null : acceptor.configFor(from);
    int answerLength = endpoint.onStray(buffer, offset, length, from, accepting, nowNs);
    if (answerLength > 0) {
      strays.send(endpoint.answer(), 0, answerLength, from);
    }
    driveOthers(nowNs);
  }

  public void onTimeout(long nowNs) {
    endpoint.onTimeout(nowNs);
    for (Connection expired = endpoint.pollExpired(nowNs);
        expired != null;
        expired = endpoint.pollExpired(nowNs)) {
      ConnectionDriver.of(expired).onTimeout(nowNs);
    }
    driveOthers(nowNs);
  }

  public void onWake(long nowNs) {
    driveOthers(nowNs);
  }

  /** Those that have something to say by what came for another, or have their budget. */
  public void driveOthers(long nowNs) {
    for (Connection other = endpoint.nextWithWork();
        other != null;
        other = endpoint.nextWithWork()) {
      ConnectionDriver.of(other).flush(nowNs);
    }
  }

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
}
