package io.rtransport.netty.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * No class of core's and netty's queues takes a monitor: who waits there may be a virtual thread,
 * which a monitor would pin to its carrier. ArchUnit does not see synchronized blocks, so sources
 * are read.
 */
class QueueSourcesTest {
  private static final Pattern MONITOR =
      Pattern.compile("\\bsynchronized\\b|\\.(wait|notify|notifyAll)\\(");

  @Test
  void shouldTakeNoMonitor() throws IOException {
    assertThat(MONITOR.matcher("  synchronized (lock) {").find()).isTrue();
    assertNoMonitor(Path.of("../transport-core/src/main/java/io/rtransport/core/queue"));
    assertNoMonitor(Path.of("src/main/java/io/rtransport/netty/queue"));
  }

  private static void assertNoMonitor(Path room) throws IOException {
    try (Stream<Path> files = Files.list(room)) {
      List<Path> sources = files.toList();
      assertThat(sources).hasSizeGreaterThan(10);
      for (Path source : sources) {
        assertThat(MONITOR.matcher(Files.readString(source)).find()).as("%s", source).isFalse();
      }
    }
  }
}
