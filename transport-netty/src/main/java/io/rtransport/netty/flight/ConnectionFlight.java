package io.rtransport.netty.flight;

import io.rtransport.core.connection.Connection;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;

/**
 * Events of one connection, made of the growth of its counters since the turn before. Confined to
 * its event loop.
 */
public final class ConnectionFlight {
  // These events are never committed. They only tell whether a recording wants their kind, and that
  // needs no new object.
  private static final RetransmitEvent RETRANSMIT = new RetransmitEvent();
  private static final StallEvent STALL = new StallEvent();
  private static final CloseEvent CLOSE = new CloseEvent();

  // No more fields than these: each connection has one of these objects.
  private final Connection connection;
  private Seen seen; // while a recording wants events
  private PathFlight paths; // likewise

  /** Counts at the end of the turn before. */
  private static final class Seen {
    private long early;
    private long probe;
    private long timeout;
    private long moved;
    private long grants;
    private long credit;
  }

  public ConnectionFlight(Connection connection) {
    this.connection = connection;
    this.paths = PathFlight.isOn() ? new PathFlight(connection, true) : null;
  }

  /**
   * Tells that a turn is over in which the connection took part.
   *
   * @param rails events of the node's interfaces, which a turn of a connection may change
   */
  public void onTurn(RailFlight rails) {
    if (connection.openPaths() > 1 || paths != null) {
      lookAtPaths(rails);
    }
    if (!RETRANSMIT.isEnabled() && !STALL.isEnabled()) {
      if (seen != null) { // the store of a reference is costly
        seen = null;
      }
      return;
    }
    look();
  }

  private void lookAtPaths(RailFlight rails) {
    rails.look();
    if (!PathFlight.isOn()) {
      paths = null;
      return;
    }
    paths = paths == null ? new PathFlight(connection, false) : paths;
    paths.look();
  }

  private void look() {
    Counters counters = connection.counters();
    long newEarly = counters.value(CounterId.RETRANSMITS_EARLY);
    long newProbe = counters.value(CounterId.RETRANSMITS_PROBE);
    long newTimeout = counters.value(CounterId.RETRANSMITS_TIMEOUT);
    long newMoved = counters.value(CounterId.RETRANSMITS_MOVED);
    long newGrants = counters.value(CounterId.GRANTS_STALLED);
    long newCredit = counters.value(CounterId.CREDIT_STALLS);
    if (seen != null) { // else counts from before the recording are not news
      tell(newEarly, newProbe, newTimeout, newMoved, newGrants, newCredit);
    } else {
      seen = new Seen();
    }
    seen.early = newEarly;
    seen.probe = newProbe;
    seen.timeout = newTimeout;
    seen.moved = newMoved;
    seen.grants = newGrants;
    seen.credit = newCredit;
  }

  private void tell(long early, long probe, long timeout, long moved, long grants, long credit) {
    if (early + probe + timeout + moved != seen.early + seen.probe + seen.timeout + seen.moved) {
      RetransmitEvent event = new RetransmitEvent();
      event.connection = connection.cid();
      event.peer = peer();
      event.early = early - seen.early;
      event.probe = probe - seen.probe;
      event.timeout = timeout - seen.timeout;
      event.moved = moved - seen.moved;
      event.commit();
    }
    if (grants != seen.grants || credit != seen.credit) {
      StallEvent event = new StallEvent();
      event.connection = connection.cid();
      event.peer = peer();
      event.grants = grants - seen.grants;
      event.credit = credit - seen.credit;
      event.commit();
    }
  }

  /** Tells that the connection has ended. */
  public void onClosed(CloseReason reason, RailFlight rails) {
    onTurn(rails);
    if (!CLOSE.isEnabled()) {
      return;
    }
    Counters counters = connection.counters();
    CloseEvent event = new CloseEvent();
    event.connection = connection.cid();
    event.peer = peer();
    event.code = Integer.toUnsignedLong(reason.code());
    event.reason = CloseCode.nameOf(reason.code());
    event.text = reason.text();
    event.byPeer = reason.isByPeer();
    event.packetsSent = counters.value(CounterId.DATAGRAMS_SENT);
    event.packetsResent =
        counters.value(CounterId.RETRANSMITS_EARLY)
            + counters.value(CounterId.RETRANSMITS_PROBE)
            + counters.value(CounterId.RETRANSMITS_TIMEOUT)
            + counters.value(CounterId.RETRANSMITS_MOVED);
    event.commit();
  }

  private String peer() {
    return connection.remote().toString();
  }
}
