package io.rtransport.demo.terminal;

import io.rtransport.core.json.Json;
import io.rtransport.core.text.InvalidValueException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * The file behind {@code --json}: found writable before the work begins, written in one go when it
 * ends.
 */
public final class JsonFile {
  private final Path file;

  private JsonFile(Path file) {
    this.file = file;
  }

  /** {@code path} may be null: then nothing is written. */
  public static JsonFile of(Path path) {
    if (path != null) {
      Path directory = path.toAbsolutePath().getParent();
      if (directory == null || !Files.isDirectory(directory)) {
        throw new InvalidValueException(
            "--json", path.toString(), "a file in a directory that exists");
      }
      if (Files.isDirectory(path)
          || (Files.exists(path) ? !Files.isWritable(path) : !Files.isWritable(directory))) {
        throw new InvalidValueException("--json", path.toString(), "a file that can be written");
      }
    }
    return new JsonFile(path);
  }

  /** Writes the result, indented. */
  public void write(Map<String, ?> result) throws IOException {
    if (file != null) {
      Files.writeString(file, Json.writeIndented(result));
    }
  }
}
