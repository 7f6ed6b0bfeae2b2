package io.rtransport.demo.initiator;

import java.nio.file.Path;

/**
 * Result of one file of a push.
 *
 * @param name the name under which the target stores it
 * @param path of the file here
 * @param sizeBytes its size when it was read for its checksum
 * @param sha256 or null if it could not be read
 * @param end its end
 * @param reason a sentence, null after success
 * @param elapsedNs checksum, question and transfer together
 */
public record PushedFile(
    String name, Path path, long sizeBytes, byte[] sha256, End end, String reason, long elapsedNs) {
  /** Ends of a file. Each file has one. */
  public enum End {
    /** The target has stored it, durably. */
    STORED,
    /** The target already had it, with the same size and checksum. */
    PRESENT,
    /** It is certainly not stored. */
    FAILED,
    /** The connection ended before the target's answer: the file may be stored. */
    UNKNOWN
  }

  /** Returns whether the target certainly has it. */
  public boolean isDone() {
    return end == End.STORED || end == End.PRESENT;
  }
}
