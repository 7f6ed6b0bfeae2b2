package io.rtransport.demo;

import io.rtransport.core.text.InvalidValueException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Names of profile files, and results into files: what cannot be written is a wrong option. */
final class AdpFiles {
  private AdpFiles() {}

  /** A profile's name for people: without the directories of its file. */
  static String shortName(String nameOrFile) {
    Path last = Path.of(nameOrFile).getFileName();
    return last == null ? nameOrFile : last.toString();
  }

  /** Writes text to a file. */
  static void write(String option, Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new InvalidValueException(
          option, file.toString(), "a file that can be written in a directory that exists");
    }
  }
}
