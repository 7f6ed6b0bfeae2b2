package io.rtransport.command;

import io.rtransport.core.text.InvalidValueException;
import io.rtransport.netty.control.HealthKnobs;
import io.rtransport.netty.node.RtNode;
import picocli.CommandLine.Option;

/** Sets the knobs of health that a file names, for the whole process: a mixin. */
public final class NodeOption {
  private static final String NODE = "--node";

  @Option(
      names = NODE,
      paramLabel = "FILE",
      description =
          "First sets the knobs of health that FILE has, a line NAME=VALUE each; a line that begins with # says nothing. docs/reference/health.md has their names.")
  private String file;

  /**
   * Sets the knobs, all or none. Does nothing if the option was not given.
   *
   * @throws InvalidValueException naming the file, a line of it or a knob
   */
  public void apply() {
    if (file == null) {
      return;
    }
    HealthKnobs knobs = HealthKnobs.ofFile(NODE, file);
    try {
      RtNode.railHealth().change(knobs::in);
    } catch (IllegalArgumentException e) {
      throw new InvalidValueException(NODE, file, "knobs that fit together: " + e.getMessage());
    }
  }
}
