package io.rtransport.core.window;

import io.rtransport.core.wire.WindowClass;

/** Questions that the sublayer above may ask the window about its own packets. */
public interface AcknowledgementView {
  /** Returns whether the peer has received the packet {@code psn}, which must have been sent. */
  boolean isAcknowledged(WindowClass windowClass, int psn);

  /**
   * Returns whether the peer has received the packet {@code psn} and all packets before it. Returns
   * false while records that were taken out of a packet wait for a new one. Afterwards these
   * records count with the number of their new packet ({@link RecordSource#onRepacked}).
   */
  boolean isAcknowledgedThrough(WindowClass windowClass, int psn);

  /** Returns whether the peer has received every packet sent so far, in both windows. */
  boolean isAllAcknowledged();
}
