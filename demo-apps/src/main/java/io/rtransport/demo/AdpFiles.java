package io.rtransport.demo;

import io.rtransport.core.adp.AdpProfile;
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

/** Profiles by name or from a file, and results into files: what cannot be read or written is a wrong option. */
final class AdpFiles {
  /** A profile has some 500 bytes; what is longer is another file. */
  private static final int PROFILE_LENGTH_MAX = 1 << 16;

  private AdpFiles() {}

  /**
   * The built-in profile of that name, else what the file of that name selects.
   *
   * @throws InvalidValueException naming the option, or the field of the file that is wrong
   */
  static AdpSelection selection(String option, String nameOrFile) {
    AdpProfile builtIn = BuiltInProfiles.find(nameOrFile);
    if (builtIn != null) {
      return new AdpSelection(builtIn, true);
    }
    try {
      return AdpProfileText.parse(read(option, nameOrFile));
    } catch (JsonException e) {
      throw new InvalidValueException(option, nameOrFile, "JSON, but " + e.getMessage());
    }
  }

  /** A profile's name for people: without the directories of its file. */
  static String shortName(String nameOrFile) {
    Path last = Path.of(nameOrFile).getFileName();
    return last == null ? nameOrFile : last.toString();
  }

  private static String read(String option, String file) {
    try (InputStream in = Files.newInputStream(Path.of(file))) {
      byte[] bytes = in.readNBytes(PROFILE_LENGTH_MAX + 1);
      if (bytes.length > PROFILE_LENGTH_MAX) {
        throw new InvalidValueException(
            option, file, "a profile file of at most " + PROFILE_LENGTH_MAX + " bytes");
      }
      return new String(bytes, StandardCharsets.UTF_8);
    } catch (IOException | InvalidPathException e) {
      String names = String.join(", ", BuiltInProfiles.names());
      throw new InvalidValueException(option, file, names + ", or a profile file that can be read");
    }
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
