package io.rtransport.core.fuzz;

import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.DynamicNode;

/**
 * Makes of each input in the corpora of a module a case of its own; with {@code
 * -Drt.fuzz.input=FILE}, of that input alone.
 */
public final class FuzzReplay {
  private FuzzReplay() {}

  /** The cases of the module that {@code test} belongs to. */
  public static List<DynamicNode> of(Class<?> test) throws Exception {
    String only = System.getProperty("rt.fuzz.input");
    List<DynamicNode> nodes = new ArrayList<>();
    for (FuzzTarget target : FuzzTarget.besides(test)) {
      if (only == null) {
        nodes.add(container(target, target.inputs()));
      } else if (target.simpleName().equals(System.getProperty("rt.fuzz.target"))) {
        nodes.add(container(target, List.of(Files.readAllBytes(Path.of(only)))));
      }
    }
    if (nodes.isEmpty() && only != null) { // the modules before the target's come first
      String name = System.getProperty("rt.fuzz.target");
      return List.of(dynamicTest("is elsewhere", () -> Assumptions.abort("no " + name + " here")));
    }
    if (nodes.isEmpty()) { // a package or a name that was changed would replay nothing, and pass
      throw new AssertionError("no fuzz target beside " + test.getName());
    }
    return nodes;
  }

  private static DynamicNode container(FuzzTarget target, List<byte[]> inputs) {
    if (inputs.isEmpty()) {
      throw new AssertionError(target.corpus() + " has no inputs");
    }
    return dynamicContainer(
        target.simpleName(),
        inputs.stream().map(input -> dynamicTest(name(input), () -> target.run(input))));
  }

  private static String name(byte[] input) {
    String hex = HexFormat.of().formatHex(input);
    return hex.length() <= 60 ? hex : hex.substring(0, 60) + "… " + input.length + " B";
  }
}
