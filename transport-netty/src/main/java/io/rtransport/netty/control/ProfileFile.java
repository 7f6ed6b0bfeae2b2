package io.rtransport.netty.control;

import io.rtransport.core.adp.AdpProfileText;
import io.rtransport.core.adp.AdpSelection;
import io.rtransport.core.adp.BuiltInProfiles;
import io.rtransport.core.json.JsonException;
import io.rtransport.core.text.InvalidValueException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * Reads profiles by name or from a file. A file that cannot be read counts as a wrong option.
 * Stateless; any thread.
 */
public final class ProfileFile {
  /**
   * Longest profile file, bytes. A profile has some 500 bytes, so a longer file is something else.
   */
  private static final int LENGTH_MAX = 1 << 16;

  private ProfileFile() {}

  /**
   * Returns the built-in profile of that name, else the selection of the file of that name.
   *
   * @param option with which the user gave it
   * @throws InvalidValueException that names the option, or the wrong field of the file
   */
  public static AdpSelection selection(String option, String nameOrFile) {
    if (BuiltInProfiles.find(nameOrFile) != null) {
      return new AdpSelection(BuiltInProfiles.find(nameOrFile), true);
    }
    try {
      return AdpProfileText.parse(read(option, nameOrFile));
    } catch (JsonException e) {
      throw new InvalidValueException(option, nameOrFile, "JSON, but " + e.getMessage());
    }
  }

  private static String read(String option, String file) {
    try (InputStream in = Files.newInputStream(Path.of(file))) {
      byte[] bytes = in.readNBytes(LENGTH_MAX + 1);
      if (bytes.length > LENGTH_MAX) {
        throw new InvalidValueException(
            option, file, "a profile file of at most " + LENGTH_MAX + " bytes");
      }
      return new String(bytes, StandardCharsets.UTF_8);
    } catch (IOException | InvalidPathException e) {
      String names = String.join(", ", BuiltInProfiles.names());
      throw new InvalidValueException(option, file, names + ", or a profile file that can be read");
    }
  }
}
