package io.rtransport.core.transaction;

import java.nio.ByteBuffer;

/**
 * The payload that comes to this side: that of the peer's push, or the answer to an own pull. Knows
 * what the application has said about it, which bytes are here, and what it holds of the node's
 * budget. A part of {@link Transaction}, which gives it only while the transaction has such a
 * payload.
 *
 * <pre>
 *  0 ≤ taken ≤ here         taken: by the sink, or thrown away
 *  0 ≤ arrived ≤ granted    of a message that asked first, and of an answer
 * </pre>
 */
public final class IncomingPayload {
  private final ByteRanges here;
  private long handle;

  // What the application has said.
  private boolean isOpen;
  private boolean isPutOff;
  private boolean isDiscarding;
  private boolean isKeptWhole;
  private boolean isWrittenBehind;
  private long untakenBytesMax;

  // How far it has come.
  private long grantedBytes;
  private long arrivedBytes;
  private long takenBytes;
  private long reservedBytes;
  private boolean isCountedAhead;
  private int stalls;
  private long stalledBytes;

  /** Bytes that cannot go to the sink yet; null when there are none. */
  private ByteBuffer held;

  IncomingPayload(ByteRanges here) {
    this.here = here;
  }

  // ------------------------------------------------------------------ what the application says

  /** Notes that the application is asked where it goes. */
  public void ask() {
    isPutOff = false;
  }

  /** Notes that the application has not answered, and may answer later. */
  public void putOff() {
    assert !isOpen : "put off when it was accepted";
    isPutOff = true;
  }

  public boolean isPutOff() {
    return isPutOff;
  }

  /**
   * Notes that the application accepted it.
   *
   * @param asHandle names it in its entries
   * @param whole whether the sink takes none of it before all of it is there
   * @param untakenMax see {@link #untakenBytesMax}
   */
  public void accept(long asHandle, boolean whole, long untakenMax) {
    assert !isOpen : "accepted twice";
    isOpen = true;
    handle = asHandle;
    isKeptWhole = whole;
    untakenBytesMax = untakenMax;
  }

  /** Returns whether the application accepted it and has not had its last entry. */
  public boolean isOpen() {
    return isOpen;
  }

  /** Notes that the sink gets nothing more, or only the last entry that is being written. */
  public void close() {
    isOpen = false;
  }

  /** Notes that the sink, which had accepted it, must still be told that it will not be whole. */
  void reopen() {
    assert !isOpen : "was not closed";
    isOpen = true;
  }

  /** Notes that nobody wants it any more: bytes that still come are thrown away. */
  public void discard() {
    isDiscarding = true;
  }

  public boolean isDiscarding() {
    return isDiscarding;
  }

  /** Returns the name that the application gave it. */
  public long handle() {
    return handle;
  }

  /** Returns whether the sink takes none of it before all of it is there. */
  public boolean isKeptWhole() {
    return isKeptWhole;
  }

  /** Notes that the sink is known for good, or known to be none. */
  public void settleSink() {
    isWrittenBehind = isOpen && !isDiscarding && !isKeptWhole && untakenBytesMax < Long.MAX_VALUE;
  }

  /** Returns whether its sink limits the bytes that may be granted and not yet taken. */
  public boolean isWrittenBehind() {
    return isWrittenBehind;
  }

  /** Changes that limit. Has an effect only if {@link #isWrittenBehind}. */
  public void limitUntaken(long bytes) {
    if (isWrittenBehind) {
      untakenBytesMax = bytes;
    }
  }

  /**
   * Returns how many bytes may be granted and not yet taken. Less than {@code Long.MAX_VALUE} if
   * its sink writes behind.
   */
  public long untakenBytesMax() {
    return untakenBytesMax;
  }

  // ------------------------------------------------------------------ bytes

  /** Returns how many bytes are here. */
  public long hereBytes() {
    return here.bytes();
  }

  /** Returns the first byte of {@code [from, to)} that is not here; {@code to} when none is. */
  public long firstMissing(long from, long to) {
    return here.firstMissing(from, to);
  }

  /**
   * Returns the end of the gap that begins at the missing byte {@code from}, at most {@code to}.
   */
  public long missingEnd(long from, long to) {
    return here.missingEnd(from, to);
  }

  /** Returns how many bytes of {@code [from, to)} are not here. */
  public long countMissing(long from, long to) {
    long count = 0;
    long at = here.firstMissing(from, to);
    while (at < to) {
      long end = here.missingEnd(at, to);
      count += end - at;
      at = here.firstMissing(end, to);
    }
    return count;
  }

  /**
   * Notes that bytes are here, none of which were. Returns false, and nothing changed, when there
   * are too many ranges.
   */
  public boolean add(long from, long to) {
    return here.add(from, to);
  }

  /** Notes that bytes are here. Returns false when there are too many ranges. */
  public boolean addMissing(long from, long to) {
    return here.addMissing(from, to);
  }

  /** Notes that bytes that are here were taken, or thrown away. */
  public void take(long bytes) {
    assert bytes >= 0 && takenBytes + bytes <= here.bytes() : "took what is not here";
    takenBytes += bytes;
  }

  /** Notes that the sink took {@code bytes}, as far as they are here. Returns how many that are. */
  public long takeUpTo(long bytes) {
    long now = Math.min(bytes, here.bytes() - takenBytes);
    takenBytes += now;
    return now;
  }

  /** Returns how many bytes were taken. */
  public long takenBytes() {
    return takenBytes;
  }

  /** Keeps memory for bytes that cannot go to the sink yet. */
  public void hold(ByteBuffer memory) {
    assert held == null : "holds memory already";
    held = memory;
  }

  /** Returns the bytes that cannot go to the sink yet; null when there are none. */
  public ByteBuffer held() {
    return held;
  }

  /** Returns these bytes and does not hold them any more. */
  public ByteBuffer giveHeld() {
    ByteBuffer memory = held;
    held = null;
    return memory;
  }

  // ------------------------------------------------------------------ grants and budget

  /** Notes that it holds more of the node's budget. */
  public void reserve(long bytes) {
    reservedBytes += bytes;
  }

  /** Notes that it gave budget back. */
  public void release(long bytes) {
    assert bytes <= reservedBytes : "gave back what it did not hold";
    reservedBytes -= bytes;
  }

  /** Returns the bytes of the node's budget that it holds. */
  public long reservedBytes() {
    return reservedBytes;
  }

  /** Allows the sender more. */
  public void grant(long bytes) {
    grantedBytes += bytes;
  }

  /** Takes back budget and grants of an answer that is shorter than they are. */
  public void shrink(long bytes) {
    assert arrivedBytes == 0 && bytes <= grantedBytes : "more than was granted";
    grantedBytes -= bytes;
    release(bytes);
  }

  /** Returns the offset up to which this side allows bytes. */
  public long grantedBytes() {
    return grantedBytes;
  }

  /** Notes that the granted bytes of an answer count as on their way. */
  public void countAhead() {
    assert !isCountedAhead : "counted twice";
    isCountedAhead = true;
  }

  public boolean isCountedAhead() {
    return isCountedAhead;
  }

  /** Notes that granted bytes arrived. */
  public void arrive(long bytes) {
    assert arrivedBytes + bytes <= grantedBytes : "arrived ungranted";
    arrivedBytes += bytes;
    stalledBytes -= Math.min(bytes, stalledBytes);
  }

  /** Returns how many granted bytes arrived. */
  public long arrivedBytes() {
    return arrivedBytes;
  }

  /** Returns how many bytes were granted and have not arrived. */
  public long missingBytes() {
    return grantedBytes - arrivedBytes;
  }

  /**
   * Returns how many of the missing bytes were granted before its connection's grants stalled last.
   * They arrive first, because they come in order. Called before more are granted.
   *
   * @param count how often its connection's grants have stalled
   */
  public long stalledBytes(int count) {
    if (stalls != count) {
      stalls = count;
      stalledBytes = missingBytes();
    }
    return stalledBytes;
  }

  /** Returns how many granted bytes arrived and were not taken. */
  public long untakenBytes() {
    return arrivedBytes - takenBytes;
  }

  /** Takes no more: no grant, no budget and no untaken byte of it count any longer. */
  public void stop() {
    reservedBytes = 0;
    takenBytes = arrivedBytes;
    grantedBytes = arrivedBytes;
    stalledBytes = 0;
  }

  void reset() {
    handle = 0;
    isOpen = false;
    isPutOff = false;
    isDiscarding = false;
    isKeptWhole = false;
    isWrittenBehind = false;
    untakenBytesMax = Long.MAX_VALUE;
    grantedBytes = 0;
    arrivedBytes = 0;
    takenBytes = 0;
    reservedBytes = 0;
    isCountedAhead = false;
    stalls = 0;
    stalledBytes = 0;
    held = null;
  }
}
