package io.rtransport.demo;

import io.rtransport.core.text.InvalidValueException;
import io.rtransport.demo.protocol.RequestHeader;
import io.rtransport.demo.store.StoreName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Check of files to be pushed: regular, readable, small enough for a message, and stored under
 * different valid names.
 */
final class PushedNames {
  private static final long FILE_BYTES_MAX = 0xFFFF_FFFFL - RequestHeader.SHA256_LENGTH;

  private PushedNames() {}

  /**
   * Checks the files.
   *
   * @param field that named them
   * @return their total length in bytes
   */
  static long check(String field, List<Path> files) throws IOException {
    Set<String> names = new HashSet<>();
    long totalBytes = 0;
    for (Path file : files) {
      if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
        throw new InvalidValueException(field, file.toString(), "a regular file that can be read");
      }
      String name = file.getFileName().toString();
      if (StoreName.of(name) == null) {
        throw new InvalidValueException(
            field, file.toString(), "its last name must be " + StoreName.VALID);
      }
      if (!names.add(name)) {
        throw new InvalidValueException(
            field, file.toString(), "files with different last names, under which they are stored");
      }
      if (Files.size(file) > FILE_BYTES_MAX) {
        throw new InvalidValueException(
            field, file.toString(), "a file of 0.." + FILE_BYTES_MAX + " bytes");
      }
      totalBytes += Files.size(file);
    }
    return totalBytes;
  }
}
