package io.rtransport.core.fuzz;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

/**
 * A target of some module: the class, and the inputs of its corpus.
 *
 * @param className of the class with {@code fuzzerTestOneInput}
 * @param corpus the file with its inputs, where the module was compiled to
 */
public record FuzzTarget(String className, Path corpus) {
  /** Ends the name of every target. */
  private static final String SUFFIX = "Fuzz.class";

  /** The targets among the compiled test classes of a module, in the order of their names. */
  public static List<FuzzTarget> in(Path testClasses) throws IOException {
    List<FuzzTarget> targets = new ArrayList<>();
    try (Stream<Path> files = Files.walk(testClasses)) {
      for (Path file : files.filter(f -> f.toString().endsWith(SUFFIX)).sorted().toList()) {
        String path = testClasses.relativize(file).toString();
        String name = path.substring(0, path.length() - ".class".length()).replace('/', '.');
        targets.add(new FuzzTarget(name, testClasses.resolve("fuzz/" + name + ".hex")));
      }
    }
    return targets;
  }

  /** The targets of the module that a test belongs to. */
  static List<FuzzTarget> besides(Class<?> test) throws IOException, URISyntaxException {
    return in(Path.of(test.getProtectionDomain().getCodeSource().getLocation().toURI()));
  }

  /** Without its package. */
  public String simpleName() {
    return className.substring(className.lastIndexOf('.') + 1);
  }

  /** The inputs of the corpus; blank lines and those that begin with # are for people. */
  public List<byte[]> inputs() throws IOException {
    List<byte[]> inputs = new ArrayList<>();
    for (String line : Files.readAllLines(corpus)) {
      if (!line.isBlank() && !line.startsWith("#")) {
        inputs.add(HexFormat.of().parseHex(line.strip()));
      }
    }
    return inputs;
  }

  /** Runs the target on one input; throws what it throws. */
  void run(byte[] input) throws Throwable {
    MethodHandle entry =
        MethodHandles.lookup()
            .findStatic(
                Class.forName(className),
                "fuzzerTestOneInput",
                MethodType.methodType(void.class, byte[].class));
    entry.invoke(input);
  }
}
