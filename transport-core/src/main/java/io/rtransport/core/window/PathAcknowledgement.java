package io.rtransport.core.window;

/**
 * What the acknowledgement that is being read says of one path: which transmission is the highest
 * that has arrived, whether that is a new round trip, and how much was retired. {@link #end} ends
 * it; only the highest sequence that gave a sample is kept.
 */
final class PathAcknowledgement {
  private int retiredBytes;
  private int retiredCount;
  private boolean hasHighest;
  private int highest;
  private int sampledHighest;
  private boolean wasSampled;

  /** Notes the path's highest sequence that has arrived. */
  void onHighest(int sequence) {
    hasHighest = true;
    highest = sequence;
  }

  /** Returns whether a highest sequence was reported. */
  boolean hasHighest() {
    return hasHighest;
  }

  /** Returns the sequence reported last as highest. */
  int highest() {
    return highest;
  }

  /**
   * Returns whether the round trip of a sequence is a new sample: no higher one has given a sample.
   * It counts as given.
   */
  boolean takeSample(int sequence) {
    boolean isNew = !wasSampled || sequence - sampledHighest > 0;
    if (isNew) {
      ignoreThrough(sequence);
    }
    return isNew;
  }

  /** Takes no sample of transmissions up to this one. */
  void ignoreThrough(int sequence) {
    wasSampled = true;
    sampledHighest = sequence;
  }

  /**
   * Notes that a packet of the path was retired.
   *
   * @param bytes its length; 0 if its bytes were judged lost
   */
  void onRetired(int bytes) {
    retiredCount++;
    retiredBytes += bytes;
  }

  /** Returns the bytes in flight that were retired. */
  int retiredBytes() {
    return retiredBytes;
  }

  /** Ends the acknowledgement. Returns whether it retired a packet of the path. */
  boolean end() {
    hasHighest = false;
    boolean hasRetired = retiredCount > 0;
    retiredBytes = 0;
    retiredCount = 0;
    return hasRetired;
  }
}
