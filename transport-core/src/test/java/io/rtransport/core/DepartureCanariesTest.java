package io.rtransport.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.cam.ContentAddressableMemory;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.lang.annotation.Annotation;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.agrona.collections.Long2LongHashMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each patch in canaries/departures makes a row of docs/departures.md untrue: the row's test must
 * then fail by an assertion of its own, or by core's where the row says so, and must pass without
 * it. The patched class is compiled beside the others, and loaded before them in a class loader of
 * its own.
 */
class DepartureCanariesTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
  private static final Path PATCHES = ROOT.resolve("transport-core/src/test/canaries/departures");

  @TempDir Path patched;

  static List<String> canaries() throws IOException {
    try (Stream<Path> files = Files.list(PATCHES)) {
      return files.map(f -> f.getFileName().toString().replace(".patch", "")).sorted().toList();
    }
  }

  @Test
  void shouldStandInARowEach() throws IOException {
    List<String> canaries = canaries();
    String page = Files.readString(ROOT.resolve("docs/departures.md"));
    for (String canary : canaries) {
      String test = Files.readAllLines(PATCHES.resolve(canary + ".patch")).get(0).substring(6);
      assertThat(page.lines())
          .anyMatch(row -> row.contains("canary `" + canary + "`") && row.contains(test));
    }
    assertThat(page.split("canary `", -1)).hasSize(1 + canaries.size());
  }

  /** Some seconds, more on a busy machine: for CI. */
  @ParameterizedTest
  @EnabledIfSystemProperty(named = "rt.canaries", matches = "true")
  @MethodSource("canaries")
  void shouldBeCaughtByTheTestOfItsRow(String canary) throws Exception {
    List<String> lines = Files.readAllLines(PATCHES.resolve(canary + ".patch"));
    String[] test = lines.get(0).substring("test: ".length()).split("#");
    assertThat(failureOf(test[0], test[1])).as("without the patch").isNull();

    compile(lines.get(2).substring("+++ b/".length()), lines.subList(3, lines.size()));
    Throwable failure = failureOf(test[0], test[1]);
    assertThat(failure).as("with the patch").isInstanceOf(AssertionError.class);
    // An assert of core says nothing of what the test looks at: its row says so where it is one.
    boolean isSaid =
        Files.readString(ROOT.resolve("docs/departures.md"))
            .contains("canary `" + canary + "` (core's assert)");
    StackTraceElement thrower = failure.getStackTrace()[0];
    assertThat(isOfCore(thrower.getClassName()))
        .as("by core's assert: %s", thrower)
        .isEqualTo(isSaid);
  }

  private static boolean isOfCore(String className) throws URISyntaxException {
    String file = className.replace('.', '/') + ".class";
    return Files.exists(Path.of(placeOf(ContentAddressableMemory.class).toURI()).resolve(file));
  }

  /**
   * What a test throws where the classes in {@link #patched} stand before all others; null when it
   * passes.
   */
  private Throwable failureOf(String className, String methodName) throws Exception {
    URL[] places = {
      patched.toUri().toURL(), placeOf(ContentAddressableMemory.class), placeOf(getClass())
    };
    ClassLoader parent = new LibrariesAlone(getClass().getClassLoader());
    try (URLClassLoader loader = new URLClassLoader(places, parent)) {
      loader.setDefaultAssertionStatus(true);
      Class<?> testClass = loader.loadClass(qualified(className));
      Constructor<?> constructor = testClass.getDeclaredConstructor();
      constructor.setAccessible(true);
      Object test = constructor.newInstance();
      for (Method method : testClass.getDeclaredMethods()) {
        if (has(method, BeforeEach.class)) {
          call(method, test);
        }
      }
      Method method = testClass.getDeclaredMethod(methodName);
      assertThat(has(method, Test.class)).isTrue();
      return call(method, test);
    }
  }

  private static Throwable call(Method method, Object test) throws IllegalAccessException {
    method.setAccessible(true);
    try {
      method.invoke(test);
      return null;
    } catch (InvocationTargetException e) {
      return e.getCause();
    }
  }

  private static boolean has(Method method, Class<? extends Annotation> annotation) {
    return method.isAnnotationPresent(annotation);
  }

  /**
   * Applies the hunks of a patch to a source of core, wherever their lines stand now, and compiles
   * it.
   */
  private void compile(String file, List<String> diff) throws IOException, URISyntaxException {
    String source = Files.readString(ROOT.resolve(file));
    StringBuilder before = new StringBuilder();
    StringBuilder after = new StringBuilder();
    for (String line : Stream.concat(diff.stream(), Stream.of("@@")).toList()) {
      if (line.startsWith("@@")) {
        if (before.length() > 0) {
          assertThat(source.split(Pattern.quote(before.toString()), -1))
              .as("the patch applies")
              .hasSize(2);
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
    Path target = patched.resolve(Path.of(file).getFileName());
    Files.writeString(target, source);
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter messages = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      List<String> options = new ArrayList<>();
      options.addAll(List.of("-proc:none", "-d", patched.toString(), "-cp"));
      options.add(
          Path.of(placeOf(ContentAddressableMemory.class).toURI())
              + File.pathSeparator
              + Path.of(placeOf(Long2LongHashMap.class).toURI()));
      boolean isCompiled =
          compiler
              .getTask(messages, files, null, options, null, files.getJavaFileObjects(target))
              .call();
      assertThat(isCompiled).as(messages.toString()).isTrue();
    }
  }

  private static URL placeOf(Class<?> type) {
    return type.getProtectionDomain().getCodeSource().getLocation();
  }

  private static String qualified(String className) throws IOException {
    Path tests = ROOT.resolve("transport-core/src/test/java");
    try (Stream<Path> files = Files.walk(tests)) {
      Path file = files.filter(f -> f.endsWith(className + ".java")).findFirst().orElseThrow();
      return tests.relativize(file).toString().replace(".java", "").replace('/', '.');
    }
  }

  /** Knows everything but core: its classes are the child's own. */
  private static final class LibrariesAlone extends ClassLoader {
    LibrariesAlone(ClassLoader parent) {
      super(parent);
    }

    @Override
    protected Class<?> loadClass(String name, boolean isResolving) throws ClassNotFoundException {
      if (name.startsWith("io.rtransport.core.")) {
        throw new ClassNotFoundException(name);
      }
      return super.loadClass(name, isResolving);
    }
  }
}
