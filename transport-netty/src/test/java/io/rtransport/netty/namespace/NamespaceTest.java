package io.rtransport.netty.namespace;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How a namespace's commands are run. */
class NamespaceTest {
  private static final long LIMIT_MILLIS = 20_000;

  @Test
  void shouldSayWhatACommandComplainsAbout() throws Exception {
    assertThat(Namespace.run(List.of("sh", "-c", "echo fine"), LIMIT_MILLIS)).isNull();
    assertThat(Namespace.run(List.of("sh", "-c", "echo no such device >&2; exit 1"), LIMIT_MILLIS))
        .isEqualTo("no such device");
  }

  @Test
  @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void shouldEndACommandThatHangs() throws Exception {
    List<String> endless = List.of("cat"); // nobody closes its input
    assertThat(Namespace.run(endless, 100)).isEqualTo("no end within 100 ms");
  }
}
