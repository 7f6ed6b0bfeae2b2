package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PathChangesTest {
  private final PathChanges changes = new PathChanges(0b0001, 0b0001);

  private void assertSets(int opened, int closed, int working, int suspected) {
    assertThat(changes.opened()).isEqualTo(opened);
    assertThat(changes.closed()).isEqualTo(closed);
    assertThat(changes.working()).isEqualTo(working);
    assertThat(changes.suspected()).isEqualTo(suspected);
  }

  @Test
  void shouldTellOfNothingAtFirstNorTwice() {
    assertThat(changes.look(0b0001, 0b0001)).isFalse();
    assertThat(changes.look(0b0011, 0b0001)).isTrue();
    assertThat(changes.look(0b0011, 0b0001)).isFalse();
  }

  @Test
  void shouldTellOfAPathFromItsOpeningToItsEnd() {
    assertThat(changes.look(0b0011, 0b0001)).isTrue();
    assertSets(0b0010, 0, 0, 0);
    assertThat(changes.look(0b0011, 0b0011)).isTrue();
    assertSets(0, 0, 0b0010, 0);
    assertThat(changes.look(0b0011, 0b0001)).isTrue();
    assertSets(0, 0, 0, 0b0010);
    assertThat(changes.look(0b0001, 0b0001)).isTrue();
    assertSets(0, 0b0010, 0, 0);
    assertThat(changes.open()).isEqualTo(0b0001);
  }

  /** A path that closes is not suspected as well, and one may open as another closes. */
  @Test
  void shouldTellOfSeveralAtOnce() {
    assertThat(changes.look(0b0110, 0b0100)).isTrue();
    assertSets(0b0110, 0b0001, 0b0100, 0);
  }
}
