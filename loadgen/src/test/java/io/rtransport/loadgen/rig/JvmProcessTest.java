package io.rtransport.loadgen.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rtransport.command.CommandFailure;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a child process writes. */
@Timeout(60)
class JvmProcessTest {
  /** Writes an object, much that is none, and another object. */
  public static final class Talker {
    public static void main(String[] args) {
      System.out.println("{\"first\": 1}");
      String line = "x".repeat(1_000);
      for (int i = 0; i < 1_000; i++) {
        System.out.println(line);
      }
      System.out.println("{\"second\": 2}");
    }
  }

  @Test
  void shouldLetAChildTalkThoughNobodyAsksForIt() throws Exception {
    try (JvmProcess child = new JvmProcess(Talker.class, List.of())) {
      assertThat(child.waitFor()).as("exit status, not killed").isZero();
      assertThat(child.readObject("child")).isEqualTo(Map.of("first", 1L));
      assertThat(child.readObject("child")).isEqualTo(Map.of("second", 2L));
      assertThatThrownBy(() -> child.readObject("child"))
          .isInstanceOf(CommandFailure.class)
          .hasMessage("the child process ended early");
      assertThatThrownBy(() -> child.readObject("child")).isInstanceOf(CommandFailure.class);
    }
  }
}
