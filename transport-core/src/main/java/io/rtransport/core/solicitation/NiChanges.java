package io.rtransport.core.solicitation;

import io.rtransport.core.window.AcknowledgementView;
import io.rtransport.core.wire.NiFlyweight;
import io.rtransport.core.wire.RecordType;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * Changes of this side's network interfaces that the peer has to be told, in order. The next one is
 * sent when the packet of the one before was acknowledged. So the peer takes them in order,
 * whatever the paths do.
 */
final class NiChanges {
  /** Changes that may wait. */
  static final int WAITING_MAX = 32;

  private record Change(int type, String nid) {}

  private final ArrayDeque<Change> waiting = new ArrayDeque<>();
  private int version;
  private boolean isSent;
  private int psn;

  /** Adds a change. Returns false if as many as allowed wait. */
  boolean offer(boolean isAdded, String nid) {
    if (waiting.size() == WAITING_MAX) {
      return false;
    }
    waiting.add(new Change(isAdded ? RecordType.ADD_NI : RecordType.REMOVE_NI, nid));
    return true;
  }

  /** Returns whether a change is to be sent. */
  boolean isDue() {
    return !isSent && !waiting.isEmpty();
  }

  /** Returns whether a change waits, or was sent and is not acknowledged. */
  boolean isAny() {
    return !waiting.isEmpty();
  }

  /**
   * Writes the change that is due for the packet {@code ofPsn}.
   *
   * @return its length; 0 if it does not fit
   */
  int write(NiFlyweight record, int ofPsn, ByteBuffer to, int at, int limit) {
    Change first = waiting.peek();
    if (limit - at < NiFlyweight.FIXED_LENGTH + first.nid.length()) { // ASCII
      return 0;
    }
    record.wrapNew(to, at, first.type).version(++version).nid(first.nid);
    isSent = true;
    psn = ofPsn;
    return record.length();
  }

  void onAcknowledged(AcknowledgementView view) {
    if (isSent && view.isAcknowledged(WindowClass.DATA, psn)) {
      isSent = false;
      waiting.remove();
    }
  }
}
