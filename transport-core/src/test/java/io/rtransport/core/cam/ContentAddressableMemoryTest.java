package io.rtransport.core.cam;

import static io.rtransport.core.cam.ContentAddressableMemory.MISSING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ContentAddressableMemoryTest {
  private static final int CID = 0x0102_0304;

  private record Key(int cid, int space, int sequence) {}

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7, 64, 500})
  void shouldAgreeWithAHashMapOverRandomOperations(int capacity) {
    for (long seed = 1; seed <= 20; seed++) {
      runAgainstOracle(capacity, seed);
    }
  }

  private static void runAgainstOracle(int capacity, long seed) {
    SplittableRandom random = new SplittableRandom(seed * 31 + capacity);
    ContentAddressableMemory cam = new ContentAddressableMemory(capacity, random.nextLong());
    Map<Key, Integer> oracle = new HashMap<>();
    int middle = seed % 2 == 0 ? 0 : Integer.MAX_VALUE;
    for (int step = 0; step < 5_000; step++) {
      Key key =
          new Key(
              random.nextInt(3),
              random.nextInt(2),
              middle - capacity / 2 + random.nextInt(capacity + 1));
      int slot = random.nextInt(1 << 20);
      String where = "capacity=" + capacity + " seed=" + seed + " step=" + step + " " + key;
      switch (random.nextInt(50) == 0 ? 4 : random.nextInt(4)) { // a whole word now and then
        case 0, 1 -> {
          boolean fits = oracle.size() < capacity && !oracle.containsKey(key);
          assertThat(cam.insert(key.cid, key.space, key.sequence, slot)).as(where).isEqualTo(fits);
          if (fits) {
            oracle.put(key, slot);
          }
        }
        case 2 -> {
          Integer removed = oracle.remove(key);
          assertThat(cam.remove(key.cid, key.space, key.sequence))
              .as(where)
              .isEqualTo(removed == null ? MISSING : removed);
        }
        case 4 -> {
          long bits = random.nextLong() & random.nextLong();
          int[] removed = new int[Long.SIZE];
          cam.removeAll(key.cid, key.space, key.sequence, bits, removed);
          int at = 0;
          for (int i = 0; i < Long.SIZE; i++) {
            if ((bits >>> i & 1) != 0) {
              Integer expected = oracle.remove(new Key(key.cid, key.space, key.sequence + i));
              assertThat(removed[at++]).as(where).isEqualTo(expected == null ? MISSING : expected);
            }
          }
        }
        default ->
            assertThat(cam.update(key.cid, key.space, key.sequence, slot))
                .as(where)
                .isEqualTo(oracle.computeIfPresent(key, (k, v) -> slot) != null);
      }
      assertThat(cam.size()).as(where).isEqualTo(oracle.size());
      assertThat(cam.lookup(key.cid, key.space, key.sequence))
          .as(where)
          .isEqualTo(oracle.getOrDefault(key, MISSING));
      if (step % 100 == 0) {
        assertSameEntries(cam, oracle, where);
      }
    }
    assertSameEntries(cam, oracle, "capacity=" + capacity + " seed=" + seed);
  }

  private static void assertSameEntries(
      ContentAddressableMemory cam, Map<Key, Integer> oracle, String where) {
    Map<Key, Integer> scanned = new HashMap<>();
    for (int cid = 0; cid < 3; cid++) {
      for (int space = 0; space < 2; space++) {
        int c = cid;
        int s = space;
        int told = cam.scan(c, s, (q, slot) -> scanned.put(new Key(c, s, q), slot));
        long expected = oracle.keySet().stream().filter(k -> k.cid == c && k.space == s).count();
        assertThat((long) told).as(where).isEqualTo(expected);
      }
    }
    assertThat(scanned).as(where).isEqualTo(oracle);
    oracle.forEach(
        (k, v) -> assertThat(cam.lookup(k.cid, k.space, k.sequence)).as(where).isEqualTo(v));
  }

  @Test
  void shouldAnswerFullAtItsCapacityAndTakeAgainAfterARemoval() {
    ContentAddressableMemory cam = new ContentAddressableMemory(3, 42);
    assertThat(cam.insert(CID, 0, 10, 0)).isTrue();
    assertThat(cam.insert(CID, 0, 11, 1)).isTrue();
    assertThat(cam.insert(CID, 0, 12, 2)).isTrue();
    assertThat(cam.insert(CID, 0, 13, 3)).isFalse();
    assertThat(cam.size()).isEqualTo(3);
    assertThat(cam.lookup(CID, 0, 13)).isEqualTo(MISSING);

    assertThat(cam.remove(CID, 0, 11)).isEqualTo(1);
    assertThat(cam.insert(CID, 0, 13, 3)).isTrue();
    assertThat(cam.lookup(CID, 0, 13)).isEqualTo(3);
    assertThat(cam.lookup(CID, 0, 12)).isEqualTo(2);
  }

  @Test
  void shouldRefuseASecondInsertOfTheSameKeyAndKeepTheFirst() {
    ContentAddressableMemory cam = new ContentAddressableMemory(4, 42);
    assertThat(cam.insert(CID, 1, 10, 5)).isTrue();
    assertThat(cam.insert(CID, 1, 10, 6)).isFalse();
    assertThat(cam.lookup(CID, 1, 10)).isEqualTo(5);
    assertThat(cam.size()).isEqualTo(1);
  }

  @Test
  void shouldKeepSpacesAndConnectionsApart() {
    ContentAddressableMemory cam = new ContentAddressableMemory(8, 42);
    cam.insert(CID, 0, 7, 1);
    cam.insert(CID, 1, 7, 2);
    cam.insert(CID + 1, 0, 7, 3);
    assertThat(cam.lookup(CID, 0, 7)).isEqualTo(1);
    assertThat(cam.lookup(CID, 1, 7)).isEqualTo(2);
    assertThat(cam.lookup(CID + 1, 0, 7)).isEqualTo(3);
    assertThat(cam.lookup(CID + 1, 1, 7)).isEqualTo(MISSING);
  }

  @Test
  void shouldSlideAWindowAcrossTheWrapOfTheSequenceNumbers() {
    ContentAddressableMemory cam = new ContentAddressableMemory(64, 99);
    int first = -200;
    for (int i = 0; i < 400; i++) {
      if (i >= 64) {
        assertThat(cam.remove(CID, 0, first + i - 64)).isEqualTo(i - 64);
      }
      assertThat(cam.insert(CID, 0, first + i, i)).isTrue();
    }
    assertThat(cam.lookup(CID, 0, first + 399)).isEqualTo(399);
    assertThat(cam.lookup(CID, 0, first + 399 - 64)).isEqualTo(MISSING);
    assertThat(cam.size()).isEqualTo(64);
  }

  @Test
  void shouldPlaceTheNumbersOfARunSideBySide() {
    for (long seed = 1; seed <= 50; seed++) {
      ContentAddressableMemory cam = new ContentAddressableMemory(64, seed * 0x9E37L);
      for (int base : new int[] {0, 80, -8, Integer.MIN_VALUE}) {
        int home = cam.home(CID, 0, base);
        for (int i = 1; i < ContentAddressableMemory.RUN; i++) {
          assertThat(cam.home(CID, 0, base + i)).isEqualTo((home + i) & (cam.places() - 1));
        }
      }
    }
  }

  @Test
  void shouldSpreadConnectionsBySeed() {
    ContentAddressableMemory one = new ContentAddressableMemory(4_096, 1);
    ContentAddressableMemory other = new ContentAddressableMemory(4_096, 2);
    int same = 0;
    for (int cid = 0; cid < 100; cid++) {
      same += one.home(cid, 0, 0) == other.home(cid, 0, 0) ? 1 : 0;
    }
    assertThat(same).isLessThan(10);
  }

  @Test
  void shouldProbeFewPlacesWhenWindowsFillTheTable() {
    int window = 1_024;
    ContentAddressableMemory cam = new ContentAddressableMemory(4 * window, 7);
    long displaced = 0;
    for (int cid = 1; cid <= 4; cid++) {
      for (int i = 0; i < window; i++) {
        cam.insert(cid, 0, i, i);
      }
    }
    for (int cid = 1; cid <= 4; cid++) {
      for (int i = 0; i < window; i++) {
        displaced += (cam.placeOf(cid, 0, i) - cam.home(cid, 0, i)) & (cam.places() - 1);
      }
    }
    assertThat(displaced / (4.0 * window)).isLessThan(16);
  }

  @Test
  void shouldKeepChainsWholeWhenTheirFirstEntriesGo() {
    // Two runs with one home: the second lies behind the first, and must be found when that is
    // gone.
    ContentAddressableMemory cam = new ContentAddressableMemory(16, 5);
    int run = ContentAddressableMemory.RUN;
    int home = cam.home(1, 0, 0);
    int cid = 2;
    while (cam.home(cid, 0, 0) != home) {
      cid++;
    }
    for (int i = 0; i < run; i++) {
      cam.insert(1, 0, i, i);
      cam.insert(cid, 0, i, 100 + i);
    }
    for (int i = 0; i < run; i++) {
      assertThat(cam.remove(1, 0, i)).isEqualTo(i);
      for (int j = 0; j < run; j++) {
        assertThat(cam.lookup(cid, 0, j)).isEqualTo(100 + j);
      }
    }
    for (int j = 0; j < run; j++) {
      assertThat(cam.placeOf(cid, 0, j)).isEqualTo(cam.home(cid, 0, j));
    }
  }

  @Test
  void shouldNameTheValidRangeWhenTheCallerErrs() {
    assertThatThrownBy(() -> new ContentAddressableMemory(0, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("capacity=0, valid range 1..268435456");
    assertThatThrownBy(
            () -> new ContentAddressableMemory(ContentAddressableMemory.CAPACITY_MAX + 1, 1))
        .hasMessageContaining("capacity=268435457");
    ContentAddressableMemory cam = new ContentAddressableMemory(1, 1);
    assertThat(cam.insert(CID, 0, 0, 0)).isTrue();
    assertThatThrownBy(() -> cam.insert(CID, 0, 1, -1)).hasMessageContaining("slot=-1");
    assertThatThrownBy(() -> cam.update(CID, 0, 0, -1)).hasMessageContaining("slot=-1");
    assertThat(cam.capacity()).isEqualTo(1);
  }
}
