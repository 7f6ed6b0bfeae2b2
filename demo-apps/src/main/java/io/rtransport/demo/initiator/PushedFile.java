package io.rtransport.demo.initiator;

import java.nio.file.Path;

/**
 * What became of one file of a push.
 *
 * @param name that the target stores it under
 * @param path of the file here
 * @param sizeBytes when it was read for its checksum
 * @param sha256 or null if it could not be read
 * @param end what became of it
 * @param reason a sentence, null where all is well
 * @param elapsedNs checksum, question and transfer together
 */
public record PushedFile(
    String name, Path path, long sizeBytes, byte[] sha256, End end, String reason, long elapsedNs) {
  /** Ends of a file; each file has one. */
  public enum End {
    /** The target has stored it, durably. */
    STORED,
    /** The target had it already, with the same size and checksum. */
    PRESENT,
    /** It is certainly not stored. */
    FAILED,
    /** The connection ended before the target's answer: it may be stored. */
    UNKNOWN
  }

  /** Whether the target certainly has it. */
  public boolean isDone() {
    return end == End.STORED || end == End.PRESENT;
  }
}
