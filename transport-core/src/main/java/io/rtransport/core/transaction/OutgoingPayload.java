package io.rtransport.core.transaction;

import java.nio.ByteBuffer;

/**
 * The payload that leaves this side: that of an own push, or the answer to the peer's pull. Knows
 * its source, how far the receiver allows it and how far it is in packets. A part of {@link
 * Transaction}, which gives it only while the transaction has such a payload.
 *
 * <pre>
 *  0 ≤ sent ≤ length        of a message that asked first, and of an answer: sent ≤ granted
 * </pre>
 */
public final class OutgoingPayload {
  private final ByteRanges granted;
  private PayloadSource source;
  private long handle;
  private long sentBytes;
  private long grantedBytes;
  private boolean isAwaitingGrants;

  OutgoingPayload(ByteRanges granted) {
    this.granted = granted;
  }

  /** Checks a length that the application gives. */
  static void checkLength(String name, long lengthBytes, long max) {
    if (lengthBytes < 0 || lengthBytes > max) {
      throw new IllegalArgumentException(name + "=" + lengthBytes + " must be 0.." + max);
    }
  }

  /** Gets its source, which is asked for {@code ofHandle}. */
  void begin(PayloadSource from, long ofHandle) {
    assert source == null && sentBytes == 0 : "a second source";
    source = from;
    handle = ofHandle;
  }

  /** Returns the name of the payload for its source. */
  public long handle() {
    return handle;
  }

  /** Returns false before there is a source and after it was let go. */
  public boolean hasSource() {
    return source != null;
  }

  /**
   * Asks the source for the bytes after those that were sent. Returns how many of {@code length} it
   * has put at {@code to[index ..)}.
   */
  public int copy(ByteBuffer to, int index, int length) {
    int copied = source.copy(handle, sentBytes, to, index, length);
    assert copied >= 0 && copied <= length : "source copied " + copied + " of " + length + " B";
    return copied;
  }

  /** Lets the source go: it is not asked again. */
  public void letGo() {
    assert source != null : "let go twice";
    source = null;
  }

  /** Notes that more bytes are in packets. */
  public void send(int bytes) {
    assert bytes >= 0;
    sentBytes += bytes;
  }

  /** Returns how many bytes are in packets. */
  public long sentBytes() {
    return sentBytes;
  }

  /** Notes that the puller allowed the answer up to {@code end} with its request. */
  public void grantUpTo(long end) {
    assert grantedBytes == 0 && sentBytes == 0 : "granted already";
    granted.addMissing(0, end);
    grantedBytes = end;
  }

  /**
   * Notes a grant. Ranges may come in any order. Sending goes up to the first gap.
   *
   * @param limit limit of the ranges of all grants of the connection
   * @return false, and nothing more may be sent, when there are too many ranges
   */
  public boolean grant(long from, long to, RangeLimit limit) {
    granted.share(limit);
    if (!granted.addMissing(from, to)) {
      return false;
    }
    grantedBytes = granted.prefix();
    return true;
  }

  /** Returns the offset up to which the receiver allows bytes. */
  public long grantedBytes() {
    return grantedBytes;
  }

  /**
   * Begins to count among those that may wait for the receiver's grants. Returns false if it did
   * already.
   */
  public boolean awaitGrants() {
    boolean isNew = !isAwaitingGrants;
    isAwaitingGrants = true;
    return isNew;
  }

  /** Ends that. Returns false if it did not count among them. */
  public boolean stopAwaitingGrants() {
    boolean was = isAwaitingGrants;
    isAwaitingGrants = false;
    return was;
  }

  void reset() {
    source = null;
    handle = 0;
    sentBytes = 0;
    grantedBytes = 0;
    isAwaitingGrants = false;
  }
}
