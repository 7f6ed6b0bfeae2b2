package io.rtransport.command;

import io.rtransport.core.json.Json;
import io.rtransport.core.text.InvalidValueException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * File that an option names for a result. It is checked as writable before the work begins, and
 * written in one step when the work ends. Without a path nothing is written.
 */
public final class OutputFile {
  private static final String VALID = "a file that can be written, in a directory that exists";

  private final String option;
  private final Path path;

  private OutputFile(String option, Path path) {
    this.option = option;
    this.path = path;
  }

  /**
   * Checks the file of an option.
   *
   * @param option the option's name as typed
   * @param path the file; null if the option was not given
   * @throws InvalidValueException if no file can be written there
   */
  public static OutputFile of(String option, Path path) {
    if (path != null && !isWritable(path)) {
      throw new InvalidValueException(option, path.toString(), VALID);
    }
    return new OutputFile(option, path);
  }

  private static boolean isWritable(Path path) {
    Path directory = path.toAbsolutePath().getParent();
    if (directory == null || !Files.isDirectory(directory) || Files.isDirectory(path)) {
      return false;
    }
    return Files.isWritable(Files.exists(path) ? path : directory);
  }

  /** Returns whether the option was given. */
  public boolean isAskedFor() {
    return path != null;
  }

  /**
   * Writes {@code text}.
   *
   * @throws CommandFailure if writing fails in spite of the check: the disk is full, or the
   *     directory is gone
   */
  public void write(String text) {
    if (path != null) {
      try {
        Files.writeString(path, text);
      } catch (IOException e) {
        throw new CommandFailure(option + "=" + path + " could not be written: " + e);
      }
    }
  }

  /** Writes a value as JSON, indented. */
  public void writeJson(Object value) {
    if (path != null) {
      write(Json.writeIndented(value));
    }
  }
}
