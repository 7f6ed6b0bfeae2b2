package io.rtransport.core.congestion;

/**
 * Decides how many bytes may be unacknowledged on one path. The window sublayer keeps the account
 * of the bytes in flight. It asks {@link #windowBytes} before it sends a new packet. Before it
 * resends a lost packet, it asks only if the control {@linkplain #boundsResends bounds resends}.
 *
 * <p>Contract of the account: each packet reported by {@link #onSent} leaves by exactly one {@link
 * #onAcknowledged}, {@link #onLost} or {@link #onWithdrawn}. A resend is a new {@code onSent} of
 * the same bytes. One object for each path, used only by the path's event loop; no call allocates.
 */
public interface CongestionControl {
  /**
   * Counts a numbered packet of {@code bytes} (whole datagram) that was given to the port of this
   * path.
   *
   * @return whether its round trip is wanted: a new packet then asks for an acknowledgement
   */
  boolean onSent(int bytes, long nowNs);

  /**
   * Counts {@code bytes} in flight on this path that were acknowledged for the first time.
   *
   * @param rttNs time since the newest of them was sent, or a value below 1 when there is no sample
   */
  void onAcknowledged(int bytes, long rttNs, long nowNs);

  /**
   * Counts a packet that was judged lost by packets sent after it on the same path.
   *
   * @param sentAtNs when the lost transmission was sent
   */
  void onLost(int bytes, long sentAtNs, long nowNs);

  /**
   * Counts a packet in flight that will be sent again in another form. Nothing is known about the
   * earlier transmission.
   */
  default void onWithdrawn(int bytes) {}

  /** Sets the most bytes that packets of the path have from now on. */
  default void onPacketLength(int bytes) {}

  /** Tells that the ADP timer of the path expired: no acknowledgements arrive. */
  void onTimeout(long nowNs);

  /**
   * Tells that the last expiry was needless: the acknowledgements were only late. They came for
   * everything that was resent for it, and for everything sent before it. Called at most once after
   * an expiry, or after a row of expiries without progress.
   */
  default void onTimeoutSpurious(long nowNs) {}

  /**
   * Tells that the path leads to another address from now on. Losses of packets sent before say
   * nothing about congestion.
   *
   * @param isOtherHost whether the address belongs to another host: then everything learned of the
   *     path is void
   */
  void onMoved(boolean isOtherHost, long nowNs);

  /**
   * Takes a round trip measured on this path.
   *
   * @param rttNs without the time that the peer held the packet, at least 1
   * @param sentAtNs when the packet was sent
   */
  default void onRoundTrip(long rttNs, long sentAtNs, long nowNs) {}

  /**
   * Returns the bytes that may be in flight on the path now. If at most half of it is in flight,
   * one more packet may leave. With any window, a path with nothing in flight sends one packet
   * after {@link #sendGapNs}.
   */
  long windowBytes();

  /**
   * Returns the least time between a send of {@code bytes} and the next send while nothing is in
   * flight, ns. This is how a window below one packet is kept. 0: none.
   */
  default long sendGapNs(int bytes) {
    return 0;
  }

  /**
   * Returns whether packets that later packets showed as lost also wait for room in the window.
   * They then wait however many acknowledgements arrive.
   */
  default boolean boundsResends() {
    return false;
  }
}
