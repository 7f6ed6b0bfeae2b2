package io.rtransport.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Whoever uses a connection reads its entries: of the interfaces by which core once called, and of
 * what told entries to them, nothing is left in any module, product or test.
 */
final class OneWayTest {
  private static final Pattern OLD =
      Pattern.compile(
          "\\b(?:class|interface|record|enum) (PayloadSink|TransactionListener|ConnectionListener"
              + "|Acceptor|PassingPush|TransactionBridge|ListenerBridge|ConnectionDriver"
              + "|DrivenEndpoint)\\b");

  @Test
  void shouldHaveNothingThatIsCalledInsteadOfReadingEntries() throws IOException {
    List<String> found = new ArrayList<>();
    int files = 0;
    for (Path source : sources()) {
      files++;
      Matcher old = OLD.matcher(Files.readString(source));
      while (old.find()) {
        found.add(source + ": " + old.group(1));
      }
    }
    assertThat(files).isGreaterThan(500);
    assertThat(found).isEmpty();
  }

  private static List<Path> sources() throws IOException {
    List<Path> sources = new ArrayList<>();
    try (Stream<Path> modules = Files.list(Path.of(".."))) {
      for (Path module : modules.map(m -> m.resolve("src")).filter(Files::isDirectory).toList()) {
        try (Stream<Path> files = Files.walk(module)) {
          files.filter(f -> f.toString().endsWith(".java")).forEach(sources::add);
        }
      }
    }
    return sources;
  }
}
