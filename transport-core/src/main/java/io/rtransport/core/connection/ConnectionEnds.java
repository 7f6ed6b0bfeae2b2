package io.rtransport.core.connection;

import io.rtransport.core.parameter.AgreedParameters;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.parameter.DirectionParameters;

/**
 * The two ends of a connection: their ids and cookies, which of them began, what this side wishes
 * and what both have agreed. It changes once, when the handshake has succeeded.
 *
 * <p>It is a superclass of {@link Connection} and no object of its own, because thousands of
 * connections may be idle.
 */
public abstract class ConnectionEnds {
  private final ConnectionConfig config;
  private final int cid;
  private final long cookie;
  AgreedParameters agreed;
  private int peerCid;
  private long peerCookie;
  private long peerIncarnation;
  private boolean isInitiator;

  ConnectionEnds(ConnectionConfig config, int cid, long cookie) {
    this.config = config;
    this.cid = cid;
    this.cookie = cookie;
  }

  /** Notes that this side begins the connection. */
  final void becomeInitiator() {
    isInitiator = true;
  }

  /** Notes the outcome of the handshake. */
  final void agree(int toCid, long toCookie, long incarnation, AgreedParameters parameters) {
    peerCid = toCid;
    peerCookie = toCookie;
    peerIncarnation = incarnation;
    agreed = parameters;
  }

  /** Returns what this side wishes. */
  public final ConnectionConfig config() {
    return config;
  }

  /** Returns the agreed parameters; null before the connection is established. */
  public final AgreedParameters agreed() {
    return agreed;
  }

  /** Returns our own id: packets to this side carry it. */
  public final int cid() {
    return cid;
  }

  final long cookie() {
    return cookie;
  }

  final int peerCid() {
    return peerCid;
  }

  final long peerCookie() {
    return peerCookie;
  }

  final long peerIncarnation() {
    return peerIncarnation;
  }

  final boolean isInitiator() {
    return isInitiator;
  }

  /** Returns whether both sides send over several paths. */
  final boolean hasRails() {
    return agreed != null && agreed.tx().has(DirectionParameters.FEATURE_RAILS);
  }
}
