package io.rtransport.core.congestion;

/**
 * Decides how many bytes may be unacknowledged on one path. The window sublayer keeps the account
 * of what is in flight and asks {@link #windowBytes} before it sends something new, and, where the
 * control {@linkplain #boundsResends bounds} them, before it resends what is lost.
 *
 * <p>Contract of the account: every packet told by {@link #onSent} leaves by exactly one {@link
 * #onAcknowledged}, {@link #onLost} or {@link #onWithdrawn}; a resend is a new {@code onSent} of
 * the same bytes. One object a path, used by the path's event loop only; no call allocates.
 */
public interface CongestionControl {
  /**
   * A numbered packet of {@code bytes} (whole datagram) was given to the port of this path.
   *
   * @return whether its round trip is wanted: a new packet then asks for an acknowledgement
   */
  boolean onSent(int bytes, long nowNs);

  /**
   * {@code bytes} in flight on this path were acknowledged for the first time.
   *
   * @param rttNs time since the newest of them was sent, or a value below 1 when there is no sample
   */
  void onAcknowledged(int bytes, long rttNs, long nowNs);

  /**
   * A packet was judged lost by packets sent after it on the same path.
   *
   * @param sentAtNs when the lost transmission was sent
   */
  void onLost(int bytes, long sentAtNs, long nowNs);

  /**
   * A packet in flight is about to be sent again in another shape: nothing is known of the earlier
   * one.
   */
  default void onWithdrawn(int bytes) {}

  /** Packets of the path have up to this many bytes from now on. */
  default void onPacketLength(int bytes) {}

  /** The ADP timer of the path expired: the acknowledgements have stopped altogether. */
  void onTimeout(long nowNs);

  /**
   * What expired last had only been late: an acknowledgement came of everything that was resent for
   * it, and of what was sent before it. Told at most once after an expiry, or a row of them without
   * progress.
   */
  default void onTimeoutSpurious(long nowNs) {}

  /**
   * The path leads to another address from now on: what is lost of all that was sent before says
   * nothing of congestion.
   *
   * @param isOtherHost whether the address is another host's, so that what was learned of the path
   *     is void
   */
  void onMoved(boolean isOtherHost, long nowNs);

  /**
   * A round trip was measured on this path.
   *
   * @param rttNs without the time that the peer held the packet, at least 1
   * @param sentAtNs when the packet was sent
   */
  default void onRoundTrip(long rttNs, long sentAtNs, long nowNs) {}

  /**
   * Bytes that may be in flight on the path now; where no more than half of it is one more packet
   * goes. However few, a path with nothing in flight sends one packet after {@link #sendGapNs}.
   */
  long windowBytes();

  /**
   * Least time from one moment, at which {@code bytes} were sent, to the next send, where nothing
   * is in flight, ns: how a window below one packet is kept. 0: none.
   */
  default long sendGapNs(int bytes) {
    return 0;
  }

  /**
   * Whether what was judged lost by later packets must wait for room in the window too, however
   * many acknowledgements come in.
   */
  default boolean boundsResends() {
    return false;
  }
}
