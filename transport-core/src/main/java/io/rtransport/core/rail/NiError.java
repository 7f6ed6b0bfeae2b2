package io.rtransport.core.rail;

/**
 * Errors of an interface, and what each does to the health of the two ends of a pair.
 *
 * <p>Source: LNet Health, "Callback mechanism" and "Old: implementation specifics". Errors with the
 * same effect stay apart, because statistics and logs tell them apart.
 */
public enum NiError {
  /** Our interface is gone: its channel closed, its address or device is not there. */
  LOCAL_NI_DOWN(Effect.FAILS, Effect.NONE),
  /** Our interface works again. Its health is what it was before. */
  LOCAL_NI_UP(Effect.WORKS_AGAIN, Effect.NONE),
  /** A packet waited at our interface for the path timeout. */
  LOCAL_NI_SEND_TIMEOUT(Effect.CHARGED, Effect.NONE),
  /** Nobody listens at the peer's interface, says a host. Anybody can forge that. */
  PEER_NI_NO_LISTENER(Effect.NONE, Effect.DOUBTED),
  /** The peer's address is not valid. It is not used until the peer names it again. */
  PEER_NI_ADDR_ERROR(Effect.NONE, Effect.FAILS),
  /** The peer's interface cannot be reached. */
  PEER_NI_UNREACHABLE(Effect.NONE, Effect.CHARGED),
  /** The peer's interface did not answer within the connect timeout. */
  PEER_NI_CONNECT_ERROR(Effect.NONE, Effect.CHARGED),
  /** The peer refused the connection. */
  PEER_NI_CONNECTION_REJECTED(Effect.NONE, Effect.CHARGED);

  /** What an error does to an interface. */
  public enum Effect {
    /** Nothing. */
    NONE,
    /** It is asked by PING. An error that anybody can forge does no more than that. */
    DOUBTED,
    /** Its health falls by {@link HealthParameter#HEALTH_SENSITIVITY}. */
    CHARGED,
    /** It is not selected until the opposite error comes. */
    FAILS,
    /** It is selected again. */
    WORKS_AGAIN
  }

  private final Effect onLocal;
  private final Effect onPeer;

  NiError(Effect onLocal, Effect onPeer) {
    this.onLocal = onLocal;
    this.onPeer = onPeer;
  }

  /** Returns what it does to our interface. */
  public Effect onLocal() {
    return onLocal;
  }

  /** Returns what it does to the peer's interface. */
  public Effect onPeer() {
    return onPeer;
  }
}
