package io.rtransport.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The canaries of docs/reference/departures.md that tests of core catch, and that each stands in
 * its row.
 */
class DepartureCanariesTest extends DepartureCanaries {
  @Test
  void shouldStandInARowEach() throws IOException {
    List<Path> patches = patches();
    String page = Files.readString(ROOT.resolve("docs/reference/departures.md"));
    for (Path patch : patches) {
      String test = testOf(patch);
      assertThat(page.lines())
          .anyMatch(row -> row.contains("canary `" + nameOf(patch) + "`") && row.contains(test));
    }
    assertThat(page.split("canary `", -1)).hasSize(1 + patches.size());
  }

  /**
   * Those of the swarm too, which .ci/canaries runs: what no longer applies would otherwise be
   * found at the end of CI alone.
   */
  @Test
  void shouldApplyToTheSourcesAsTheyAre() throws IOException {
    List<Path> all = new ArrayList<>(patches());
    all.addAll(patchesIn(ROOT.resolve("simulator/src/test/canaries")));
    for (Path patch : all) {
      assertThat(apply(patch)).as(nameOf(patch)).isNotEmpty();
    }
  }
}
