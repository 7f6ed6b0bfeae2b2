package io.rtransport.core.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The ring of submissions against a list, from any position, and with threads that race. */
class SubmissionRingTest {
  private static final int SEEDS = 300;
  private static final int RECORDS = 8;
  private static final int BYTES = 128;
  private static final int[] FIRSTS = {0, 8, Integer.MAX_VALUE - 7, -8, -64, Integer.MIN_VALUE};

  private record Record(
      long claim, int kind, long tag, int headerLength, byte[] bytes, Object lent) {}

  /** Claims are published in any order; records are taken in the order of the claims, whole. */
  @Test
  void shouldGiveEachRecordOnceInTheOrderOfTheClaims() {
    int refused = 0;
    int taken = 0;
    int heldUp = 0;
    for (long seed = 1; seed <= SEEDS; seed++) {
      Random random = new Random(seed);
      int firstNumber = random.nextBoolean() ? 0 : Integer.MAX_VALUE - random.nextInt(20);
      SubmissionRing ring =
          new SubmissionRing(RECORDS, BYTES, firstNumber, FIRSTS[random.nextInt(FIRSTS.length)]);
      Queue<Record> claimed = new ArrayDeque<>();
      List<Record> unpublished = new ArrayList<>();
      int notFreed = 0;
      for (int step = 0; step < 500; step++) {
        String at = "seed " + seed + ", step " + step;
        switch (random.nextInt(4)) {
          case 0 -> {
            if (claimed.size() < RECORDS) {
              Record made = claim(ring, random);
              if (made == null) {
                refused++;
                assertThat(claimed.size() + notFreed).as(at).isPositive();
              } else {
                claimed.add(made);
                unpublished.add(made);
              }
            }
          }
          case 1 -> {
            if (!unpublished.isEmpty()) {
              publish(ring, unpublished.remove(random.nextInt(unpublished.size())));
            }
          }
          case 2 -> {
            boolean isThere = !claimed.isEmpty() && !unpublished.contains(claimed.peek());
            assertThat(ring.hasNext()).as(at).isEqualTo(isThere);
            assertThat(ring.isEmpty()).as(at).isEqualTo(claimed.isEmpty());
            heldUp += !isThere && claimed.size() > unpublished.size() ? 1 : 0;
            if (isThere) {
              check(ring, claimed.poll(), at);
              notFreed++;
              taken++;
            }
          }
          default -> {
            ring.free();
            notFreed = 0;
          }
        }
      }
    }
    assertThat(refused).isPositive();
    assertThat(taken).isPositive();
    assertThat(heldUp).isPositive();
  }

  private static Record claim(SubmissionRing ring, Random random) {
    byte[] bytes = new byte[random.nextInt(ring.lengthMax() + 1)];
    random.nextBytes(bytes);
    long claim = ring.tryClaim(bytes.length);
    if (claim == SubmissionRing.NO_ROOM) {
      return null;
    }
    int headerLength = random.nextInt(bytes.length + 1);
    Object lent = random.nextInt(3) == 0 ? new Object() : null;
    return new Record(claim, random.nextInt(256), random.nextLong(), headerLength, bytes, lent);
  }

  private static void publish(SubmissionRing ring, Record record) {
    int offset = ring.offsetOf(record.claim);
    System.arraycopy(record.bytes, 0, ring.bytes(), offset, record.bytes.length);
    ring.publish(
        record.claim,
        record.kind,
        record.tag,
        record.headerLength,
        record.bytes.length,
        record.lent);
  }

  private static void check(SubmissionRing ring, Record expected, String at) {
    assertThat(ring.kind()).as(at).isEqualTo(expected.kind);
    assertThat(ring.tag()).as(at).isEqualTo(expected.tag);
    assertThat(ring.headerLength()).as(at).isEqualTo(expected.headerLength);
    assertThat(ring.length()).as(at).isEqualTo(expected.bytes.length);
    assertThat(ring.lent()).as(at).isSameAs(expected.lent);
    byte[] bytes = new byte[expected.bytes.length];
    System.arraycopy(ring.bytes(), ring.offset(), bytes, 0, bytes.length);
    assertThat(bytes).as(at).isEqualTo(expected.bytes);
    ring.take(bytes.length);
  }

  /** Both sides of the limit: all bytes are in use, and one more record has no room. */
  @Test
  void shouldRefuseWhatHasNoRoomUntilItIsFreed() {
    SubmissionRing ring = new SubmissionRing(64, 64);
    for (int i = 0; i < 8; i++) {
      long claim = ring.tryClaim(8);
      assertThat(claim).isNotNegative();
      ring.publish(claim, 0, i, 0, 8, null);
    }
    assertThat(ring.tryClaim(1)).isEqualTo(SubmissionRing.NO_ROOM);
    assertThat(ring.tryClaim(0)).isNotNegative();
    ring.take(8);
    assertThat(ring.tryClaim(8)).isEqualTo(SubmissionRing.NO_ROOM);
    ring.free();
    assertThat(ring.tryClaim(8)).isNotNegative();
  }

  /** A record that has ended keeps its place until those before it are taken. */
  @Test
  void shouldEndARecordBehindOthersAndKeepItsPlace() {
    for (int first : new int[] {0, Integer.MAX_VALUE - 2}) {
      SubmissionRing ring = new SubmissionRing(4, 64, first, 0);
      Object object = new Object();
      for (int i = 0; i < 4; i++) {
        long claim = ring.tryClaim(0);
        if (i == 2) {
          ring.publishWithDeadline(claim, 1, i, 0, 0, object, 77);
        } else {
          ring.publish(claim, 1, i, 0, 0, null);
        }
      }
      int third = first + 2 & Integer.MAX_VALUE;
      assertThat(ring.hasDeadlines()).isTrue();
      assertThat(ring.hasDeadline(third)).isTrue();
      assertThat(ring.hasDeadline(first)).isFalse();
      assertThat(ring.deadlineNs(third)).isEqualTo(77);
      assertThat(ring.isWaiting(third)).isTrue();
      assertThat(ring.isWaiting(first + 4 & Integer.MAX_VALUE)).isFalse();
      assertThat(ring.tag(third)).isEqualTo(2);
      assertThat(ring.end(third)).isSameAs(object);
      assertThat(ring.isWaiting(third)).isFalse();
      assertThat(ring.hasDeadline(third)).isFalse();
      assertThat(ring.kind(third)).isEqualTo(1);
      assertThat(ring.tryClaim(0)).isEqualTo(SubmissionRing.NO_ROOM);
      for (int i = 0; i < 4; i++) {
        assertThat(ring.isEnded()).isEqualTo(i == 2);
        assertThat(ring.isPlain(1)).isEqualTo(i != 2);
        assertThat(ring.lent()).isNull();
        ring.take(0);
        assertThat(ring.tryClaim(0)).isEqualTo(SubmissionRing.NO_ROOM);
      }
      assertThat(ring.isWaiting(third)).isFalse();
      ring.free();
      assertThat(ring.tryClaim(0)).isNotNegative();
    }
  }

  @Test
  void shouldTellADeadlineOnlyOfARecordThatHasOne() {
    SubmissionRing ring = new SubmissionRing(1, 64);
    ring.publishWithDeadline(ring.tryClaim(0), 3, 0, 0, 0, null, 5);
    assertThat(ring.isPlain(3)).isFalse();
    ring.take(0);
    ring.free();
    ring.publish(ring.tryClaim(0), 3, 0, 0, 0, null);
    assertThat(ring.isPlain(3)).isTrue();
    assertThat(ring.isPlain(2)).isFalse();
    assertThat(ring.hasDeadline(ring.next())).isFalse();
  }

  /** Threads that race lose nothing, and each keeps its own order. */
  @Test
  void shouldKeepTheOrderOfEachThread() throws Exception {
    int threads = 3;
    int each = 30_000;
    SubmissionRing ring = new SubmissionRing(64, 1 << 10);
    AtomicInteger room = new AtomicInteger(64);
    CountDownLatch begin = new CountDownLatch(1);
    List<Thread> all = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      int thread = t;
      all.add(new Thread(() -> submit(ring, room, begin, thread, each)));
    }
    all.forEach(Thread::start);
    begin.countDown();
    int[] next = new int[threads];
    for (int left = threads * each; left > 0; ) {
      if (!ring.hasNext()) {
        Thread.onSpinWait();
        continue;
      }
      int thread = ring.kind();
      assertThat(ring.tag()).isEqualTo(next[thread]);
      assertThat(ring.bytes()[ring.offset()]).isEqualTo((byte) next[thread]);
      next[thread]++;
      ring.take(1 + (int) ring.tag() % 100);
      ring.free();
      room.incrementAndGet();
      left--;
    }
    for (Thread thread : all) {
      thread.join();
    }
    assertThat(ring.isEmpty()).isTrue();
  }

  private static void submit(
      SubmissionRing ring, AtomicInteger room, CountDownLatch begin, int thread, int count) {
    try {
      begin.await();
    } catch (InterruptedException e) {
      return;
    }
    for (int i = 0; i < count; ) {
      if (room.getAndDecrement() <= 0) {
        room.incrementAndGet();
        Thread.onSpinWait();
        continue;
      }
      int length = 1 + i % 100;
      long claim = ring.tryClaim(length);
      if (claim == SubmissionRing.NO_ROOM) {
        room.incrementAndGet();
        Thread.onSpinWait();
        continue;
      }
      ring.bytes()[ring.offsetOf(claim)] = (byte) i;
      ring.publish(claim, thread, i, 0, length, null);
      i++;
    }
  }

  @Test
  void shouldNameASizeThatIsNotValid() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new SubmissionRing(0, 64))
        .withMessage("recordsMax=0 is not in the range 1..65536");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new SubmissionRing(1, 63))
        .withMessage("bytesMax=63 is not in the range 64..268435456");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new SubmissionRing(1, 65))
        .withMessage("bytesMax=65 is not a power of two");
  }
}
