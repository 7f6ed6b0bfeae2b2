package io.rtransport.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.TestExecutionResult.Status.FAILED;
import static org.junit.platform.engine.TestExecutionResult.Status.SUCCESSFUL;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.EngineFilter;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs the canaries of one module's tests. Each patch in src/test/canaries/departures makes a row
 * of docs/reference/departures.md untrue. The test in its first line must then fail by an assertion
 * of its own, or by an {@code assert} of the product where the row says so, and must pass without
 * it. The patched classes are compiled beside the others, and loaded before them in a class loader
 * of their own; JUnit runs the test there.
 */
public abstract class DepartureCanaries {
  protected static final Path ROOT = Path.of("").toAbsolutePath().getParent();
  private static final String FOLDER = "src/test/canaries/departures";
  private static final List<String> MODULES =
      List.of("transport-core", "simulator", "transport-netty");
  private static final List<String> PRODUCT = List.of("transport-core", "transport-netty");
  private static final String CLASS_PATH = System.getProperty("java.class.path");

  /** Far above what any of the tests needs: a canary that hangs is not caught. */
  private static final String TIMEOUT = "60 s";

  @TempDir Path patched;

  /** The patches of all modules. */
  static List<Path> patches() throws IOException {
    List<Path> patches = new ArrayList<>();
    for (String module : MODULES) {
      patches.addAll(patches(ROOT.resolve(module)));
    }
    return patches;
  }

  private static List<Path> patches(Path module) throws IOException {
    Path folder = module.resolve(FOLDER);
    return Files.isDirectory(folder) ? patchesIn(folder) : List.of();
  }

  static List<Path> patchesIn(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(f -> f.toString().endsWith(".patch")).sorted().toList();
    }
  }

  static String nameOf(Path patch) {
    return patch.getFileName().toString().replace(".patch", "");
  }

  static String testOf(Path patch) throws IOException {
    return Files.readAllLines(patch).get(0).substring("test: ".length());
  }

  static List<String> canaries() throws IOException {
    return patches(Path.of("").toAbsolutePath()).stream().map(DepartureCanaries::nameOf).toList();
  }

  /** About a second each, more on a busy machine: for CI. */
  @ParameterizedTest
  @EnabledIfSystemProperty(named = "rt.canaries", matches = "true")
  @MethodSource("canaries")
  public void shouldBeCaughtByTheTestOfItsRow(String canary) throws Exception {
    Path patch = Path.of(FOLDER, canary + ".patch").toAbsolutePath();
    String test = testOf(patch);
    List<TestExecutionResult> before = resultsOf(test);
    assertThat(before).as("without the patch").anyMatch(r -> r.getStatus() == SUCCESSFUL);
    assertThat(before).as("without the patch").noneMatch(r -> r.getStatus() == FAILED);

    compile(patch);
    List<Throwable> failures =
        resultsOf(test).stream()
            .filter(r -> r.getStatus() == FAILED)
            .map(r -> r.getThrowable().orElseThrow())
            .toList();
    assertThat(failures).as("with the patch").isNotEmpty();
    assertThat(failures).allSatisfy(f -> assertThat(f).isInstanceOf(AssertionError.class));
    // An assert of the product says nothing of what the test looks at: its row says so.
    boolean isSaid =
        Files.readString(ROOT.resolve("docs/reference/departures.md"))
            .contains("canary `" + canary + "` (core's assert)");
    for (Throwable failure : failures) {
      StackTraceElement thrower = failure.getStackTrace()[0];
      assertThat(isOfProduct(thrower.getClassName())).as("by %s", failure).isEqualTo(isSaid);
    }
  }

  private static boolean isOfProduct(String className) {
    String file = className.replaceFirst("\\$.*", "").replace('.', '/') + ".java";
    return PRODUCT.stream()
        .anyMatch(m -> Files.exists(ROOT.resolve(m).resolve("src/main/java").resolve(file)));
  }

  /** How each invocation of a test ended where the classes in {@link #patched} stand first. */
  private List<TestExecutionResult> resultsOf(String test) throws Exception {
    List<URL> places = new ArrayList<>(List.of(patched.toUri().toURL()));
    for (String place : CLASS_PATH.split(File.pathSeparator)) {
      places.add(Path.of(place).toUri().toURL());
    }
    List<TestExecutionResult> results = new ArrayList<>();
    Thread thread = Thread.currentThread();
    ClassLoader own = thread.getContextClassLoader();
    ClassLoader parent = new LibrariesAlone(getClass().getClassLoader());
    try (URLClassLoader loader = new URLClassLoader(places.toArray(new URL[0]), parent)) {
      loader.setDefaultAssertionStatus(true);
      thread.setContextClassLoader(loader);
      String[] names = test.split("#");
      Class<?> testClass = loader.loadClass(qualified(names[0]));
      LauncherDiscoveryRequest request =
          LauncherDiscoveryRequestBuilder.request()
              .selectors(DiscoverySelectors.selectMethod(testClass, methodOf(testClass, names[1])))
              .filters(EngineFilter.includeEngines("junit-jupiter"))
              .configurationParameter("junit.jupiter.execution.timeout.default", TIMEOUT)
              .configurationParameter(
                  "junit.jupiter.execution.timeout.thread.mode.default", "SEPARATE_THREAD")
              .build();
      LauncherFactory.create().execute(request, new Ends(results));
    } finally {
      thread.setContextClassLoader(own);
    }
    return results;
  }

  private static Method methodOf(Class<?> testClass, String name) {
    return Stream.of(testClass.getDeclaredMethods())
        .filter(m -> m.getName().equals(name))
        .findFirst()
        .orElseThrow();
  }

  /** Each source of the product that a patch changes, by its path, with its text after that. */
  static Map<Path, String> apply(Path patch) throws IOException {
    Map<Path, String> sources = new LinkedHashMap<>();
    List<String> lines = Files.readAllLines(patch);
    for (int i = lines.get(0).startsWith("--- a/") ? 0 : 1; i < lines.size(); ) {
      Path file = Path.of(lines.get(i + 1).substring("+++ b/".length()));
      int end = i + 2;
      while (end < lines.size() && !lines.get(end).startsWith("--- a/")) {
        end++;
      }
      String source = Files.readString(ROOT.resolve(file));
      sources.put(file, patched(source, lines.subList(i + 2, end)));
      i = end;
    }
    return sources;
  }

  private void compile(Path patch) throws IOException {
    List<Path> sources = new ArrayList<>();
    for (Map.Entry<Path, String> changed : apply(patch).entrySet()) {
      Path source = patched.resolve(changed.getKey().getFileName());
      sources.add(Files.writeString(source, changed.getValue()));
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter messages = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      List<String> options =
          List.of("-proc:none", "-nowarn", "-d", patched.toString(), "-cp", CLASS_PATH);
      boolean isCompiled =
          compiler
              .getTask(
                  messages, files, null, options, null, files.getJavaFileObjectsFromPaths(sources))
              .call();
      assertThat(isCompiled).as(messages.toString()).isTrue();
    }
  }

  /** A source after the hunks of a diff, wherever their lines stand now. */
  private static String patched(String source, List<String> diff) {
    StringBuilder before = new StringBuilder();
    StringBuilder after = new StringBuilder();
    for (String line : Stream.concat(diff.stream(), Stream.of("@@")).toList()) {
      if (line.startsWith("@@")) {
        if (before.length() > 0) {
          assertThat(source.split(Pattern.quote(before.toString()), -1).length - 1)
              .as("places of the source that these lines of the patch fit:%n%s", before)
              .isOne();
          source = source.replace(before, after);
        }
        before.setLength(0);
        after.setLength(0);
      } else {
        String text = line.isEmpty() ? "" : line.substring(1);
        if (!line.startsWith("+")) {
          before.append(text).append('\n');
        }
        if (!line.startsWith("-")) {
          after.append(text).append('\n');
        }
      }
    }
    return source;
  }

  private static String qualified(String className) throws IOException {
    Path tests = Path.of("src/test/java").toAbsolutePath();
    try (Stream<Path> files = Files.walk(tests)) {
      Path file = files.filter(f -> f.endsWith(className + ".java")).findFirst().orElseThrow();
      return tests.relativize(file).toString().replace(".java", "").replace('/', '.');
    }
  }

  /** Keeps how each test, or each invocation of a parameterized one, ended. */
  private record Ends(List<TestExecutionResult> results) implements TestExecutionListener {
    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      if (test.isTest() || result.getStatus() != SUCCESSFUL) {
        results.add(result);
      }
    }
  }

  /** Knows everything but the project's own classes: these are the child's. */
  private static final class LibrariesAlone extends ClassLoader {
    LibrariesAlone(ClassLoader parent) {
      super(parent);
    }

    @Override
    protected Class<?> loadClass(String name, boolean isResolving) throws ClassNotFoundException {
      if (name.startsWith("io.rtransport.")) {
        throw new ClassNotFoundException(name);
      }
      return super.loadClass(name, isResolving);
    }
  }
}
