package io.rtransport.command;

import io.rtransport.core.text.InvalidValueException;
import io.rtransport.netty.control.ControlSocket;
import java.io.IOException;
import java.nio.file.Path;

/** Opens the control socket that an option names. Stateless. */
public final class ControlOption {
  /** Opens a socket at a path. */
  public interface Opening {
    ControlSocket open(Path path) throws IOException;
  }

  private ControlOption() {}

  /**
   * Returns the socket, or null if the option was not given.
   *
   * @param path null if the option was not given
   * @throws InvalidValueException if there can be no socket at the path
   */
  public static ControlSocket open(String option, Path path, Opening opening) {
    try {
      return path == null ? null : opening.open(path);
    } catch (IOException e) {
      throw new InvalidValueException(
          option,
          path.toString(),
          "the path of a socket to be made, in a directory to write in (" + e + ")");
    }
  }
}
