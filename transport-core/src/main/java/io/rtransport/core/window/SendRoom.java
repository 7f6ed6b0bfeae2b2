package io.rtransport.core.window;

import io.rtransport.core.adp.AdpTimer;
import io.rtransport.core.congestion.CongestionControl;
import io.rtransport.core.congestion.Pacer;

/**
 * What may leave on a path by its congestion window: whether the bytes in flight leave room,
 * whether the pace permits it now, and how many resends may go above the window. Loop-confined.
 */
final class SendRoom {
  /**
   * Most bytes that early resends may send above the congestion window at once. It is a quarter of
   * the bytes in flight on a fast path.
   */
  private static final long RESEND_ALLOWANCE_BYTES_MAX = 256 << 10;

  /** Room beyond one packet that counts as room to spare: three packets of the default length. */
  private static final long SPARE_BYTES = 4 << 10;

  private final AdpTimer adp;
  private final CongestionControl congestion;
  private final RttEstimator rtt;
  private final Pacer pacer = new Pacer();
  private long inFlightBytes;
  private long resendAllowanceBytes;
  private long lastSendNs;

  /** Bytes of all packets that left at {@link #lastSendNs}. */
  private int lastSendBytes;

  SendRoom(AdpTimer adp, CongestionControl congestion, RttEstimator rtt) {
    this.adp = adp;
    this.congestion = congestion;
    this.rtt = rtt;
  }

  /** Returns the bytes sent that are neither acknowledged nor judged lost. */
  long inFlightBytes() {
    return inFlightBytes;
  }

  /** Returns when the last packet left. */
  long lastSendNs() {
    return lastSendNs;
  }

  /**
   * Returns whether the congestion window has room for a new packet of up to {@code length} bytes.
   * With nothing in flight one packet always leaves, at its paced time. With at most half of the
   * window in flight a packet may exceed the window. Otherwise, in a window of one or two packets,
   * short answers to the peer's bulk data would leave once a round trip.
   */
  boolean isOpen(int length, long nowNs) {
    if (inFlightBytes != 0) {
      long windowBytes = congestion.windowBytes();
      return pacer.isOpen(windowBytes, rtt.smoothedNs(), rtt.minNs(), nowNs)
          && (inFlightBytes + length <= windowBytes || inFlightBytes <= windowBytes >> 1);
    }
    long gapNs = sendGapNs();
    return gapNs == 0 || nowNs - lastSendNs >= gapNs;
  }

  /**
   * Returns whether a lost packet may be resent. A congestion control may leave resends unbounded.
   * Then each acknowledged byte permits two resent bytes above the window. After an expiry hundreds
   * of packets may be judged lost at once. They leave only as the window opens.
   */
  boolean isOpenForResend(int length, long nowNs) {
    return isOpen(length, nowNs) || resendAllowanceBytes >= length && !congestion.boundsResends();
  }

  /**
   * Returns whether the sender need not wait for acknowledgements. That is the case if the
   * congestion window has room for several more packets, or if nothing is in flight. A message sent
   * alone can wait for its ack delay, until the next message comes.
   */
  boolean isSpare(int packetLengthMax) {
    return inFlightBytes == 0
        || inFlightBytes + packetLengthMax + SPARE_BYTES <= congestion.windowBytes();
  }

  /** Returns the bytes for which the congestion window has room, at least 0. */
  long bytes() {
    return Math.max(0, congestion.windowBytes() - inFlightBytes);
  }

  /**
   * Returns the time between two packets while the window is below one packet. It is 0 if the timer
   * uses only the profile's value: such a profile also paces alone.
   */
  long sendGapNs() {
    return adp.followsPath() ? congestion.sendGapNs(lastSendBytes) : 0;
  }

  /**
   * Returns when a paced window, or one below one packet, permits the next packet. {@link
   * Long#MAX_VALUE} means that only an acknowledgement permits it.
   */
  long nextSendNs() {
    if (inFlightBytes == 0) {
      return lastSendNs + sendGapNs();
    }
    return pacer.opensNs();
  }

  /** Records a packet that is in flight from now on. */
  void onSent(int length, boolean isResend, long nowNs) {
    if (isResend && !isOpen(length, nowNs)) {
      resendAllowanceBytes = Math.max(0, resendAllowanceBytes - length);
    }
    inFlightBytes += length;
    pacer.onSent(length);
  }

  /** Records each transmission, also of a packet that is in flight. */
  void onTransmitted(int length, long nowNs) {
    lastSendBytes = nowNs == lastSendNs ? lastSendBytes + length : length;
    lastSendNs = nowNs;
  }

  /** Records that a packet is in flight no longer. */
  void onGone(int length) {
    inFlightBytes -= length;
  }

  /** Records what an acknowledgement has retired. */
  void onRetired(int retiredBytes) {
    resendAllowanceBytes =
        Math.min(RESEND_ALLOWANCE_BYTES_MAX, resendAllowanceBytes + 2L * retiredBytes);
  }

  /** Records an expiry of the ADP timer, or that the path is suspect. */
  void onTimeout() {
    resendAllowanceBytes = 0;
  }
}
