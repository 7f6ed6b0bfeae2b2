package io.rtransport.core.window;

import io.rtransport.core.wire.WindowClass;

/** Questions that the sublayer above may ask the window about its own packets. */
public interface AcknowledgementView {
  /** Whether the packet numbered {@code psn}, sent before, has been received by the peer. */
  boolean isAcknowledged(WindowClass windowClass, int psn);

  /**
   * Whether the peer has received the packet numbered {@code psn} and all before it, and all
   * records that were taken out of one of them.
   */
  boolean isAcknowledgedThrough(WindowClass windowClass, int psn);

  /** Whether every packet sent so far, in both windows, has been received by the peer. */
  boolean isAllAcknowledged();
}
