package io.rtransport.core.cam;

import static io.rtransport.core.cam.ContentAddressableMemory.MISSING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.agrona.collections.Hashing;
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
      switch (random.nextInt(50) == 0 ? 3 : random.nextInt(3)) { // a whole word now and then
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
        case 3 -> {
          long bits = random.nextLong() & random.nextLong();
          int[] removed = new int[Long.SIZE];
          int wordSequence = key.sequence & -Long.SIZE;
          cam.removeAll(key.cid, key.space, wordSequence, bits, removed);
          int at = 0;
          for (int i = 0; i < Long.SIZE; i++) {
            if ((bits >>> i & 1) != 0) {
              Integer expected = oracle.remove(new Key(key.cid, key.space, wordSequence + i));
              assertThat(removed[at++]).as(where).isEqualTo(expected == null ? MISSING : expected);
            }
          }
        }
        default -> throw new AssertionError();
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
  void shouldNeedARowForEachWordAndGiveItBackWithItsLastEntry() {
    ContentAddressableMemory cam = new ContentAddressableMemory(256, 3, 5);
    for (int i = 0; i < 2 * Long.SIZE; i++) {
      assertThat(cam.insert(CID, 0, -Long.SIZE + i, i)).isTrue();
    }
    assertThat(cam.freeRows()).isEqualTo(1);
    assertThat(cam.insert(CID, 1, 0, 200)).isTrue();
    assertThat(cam.freeRows()).isZero();
    assertThat(cam.insert(CID, 1, Long.SIZE, 201)).as("a fourth row").isFalse();
    assertThat(cam.insert(CID, 1, Long.SIZE - 1, 202)).as("a row that is there").isTrue();

    int[] removed = new int[Long.SIZE];
    cam.removeAll(CID, 0, -Long.SIZE, ~1L, removed);
    assertThat(cam.freeRows()).isZero();
    assertThat(cam.remove(CID, 0, -Long.SIZE)).isZero();
    assertThat(cam.freeRows()).isEqualTo(1);
    assertThat(cam.insert(CID, 1, Long.SIZE, 201)).isTrue();
    assertThat(cam.lookup(CID, 1, Long.SIZE)).isEqualTo(201);
    assertThat(cam.lookup(CID, 1, Long.SIZE + 1)).as("of the row's last use").isEqualTo(MISSING);
  }

  @Test
  void shouldNeverRehashAndAllocateEachRowOnce() {
    int rows = 4 * ContentAddressableMemory.BLOCK_ROWS;
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    ContentAddressableMemory cam = new ContentAddressableMemory(64 * rows, rows, 5);
    int places = cam.places();
    fillAndEmpty(new ContentAddressableMemory(64, 1, 5), 1); // loads classes
    long before = threads.getCurrentThreadAllocatedBytes();
    fillAndEmpty(cam, rows);
    long first = threads.getCurrentThreadAllocatedBytes() - before;
    for (int round = 0; round < 10; round++) {
      fillAndEmpty(cam, rows);
    }
    long later = threads.getCurrentThreadAllocatedBytes() - before - first;

    assertThat(cam.places()).isEqualTo(places);
    assertThat(first).isBetween(0L, (long) rows * ContentAddressableMemory.ROW_BYTES);
    assertThat(later).isZero();
  }

  /** A sparse entry in each row, of as many connections. */
  private static void fillAndEmpty(ContentAddressableMemory cam, int rows) {
    boolean isRight = true;
    for (int i = 0; i < rows; i++) {
      isRight &= cam.insert(i, i % 2, i * 1_000, i);
    }
    isRight &= cam.freeRows() == 0 && !cam.insert(rows, 0, 0, 0);
    for (int i = 0; i < rows; i++) {
      isRight &= cam.remove(i, i % 2, i * 1_000) == i;
    }
    if (!isRight || cam.size() != 0 || cam.freeRows() != rows) {
      throw new AssertionError("size=" + cam.size() + " freeRows=" + cam.freeRows());
    }
  }

  @Test
  void shouldScrambleKeysOneToOneAndByTheSecret() {
    ContentAddressableMemory one = new ContentAddressableMemory(64, 1);
    ContentAddressableMemory other = new ContentAddressableMemory(64, 2);
    Set<Long> keys = new HashSet<>();
    int mask = 1_023;
    int[] sharing = new int[mask + 1];
    int chosen = 0;
    int home = Hashing.evenHash(one.key(0, 0, 0), mask);
    int next = 0;
    while (chosen < 256) { // one's keys that share a home, and lie anywhere by another secret
      int cid = next++;
      long key = one.key(cid, cid % 3, cid * 64);
      assertThat(keys.add(key)).isTrue();
      if (Hashing.evenHash(key, mask) == home) {
        sharing[Hashing.evenHash(other.key(cid, cid % 3, cid * 64), mask)]++;
        chosen++;
      }
    }
    assertThat(Arrays.stream(sharing).max().getAsInt()).isLessThan(10);
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
    assertThatThrownBy(() -> new ContentAddressableMemory(4, 5, 1))
        .hasMessage("rowsMax=5, valid range 1..4");
    assertThatThrownBy(() -> new ContentAddressableMemory(4, 0, 1))
        .hasMessage("rowsMax=0, valid range 1..4");
    assertThat(cam.capacity()).isEqualTo(1);
  }
}
