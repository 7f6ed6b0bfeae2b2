package io.rtransport.netty.internal.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Which tasks run when calls to a disk hang. The clock and the looks are the test's, the threads
 * are real.
 */
@Timeout(60)
class FileThreadsTest {
  private static final long IDLE_MILLIS = 50;

  private final AtomicLong nowNs = new AtomicLong(7);
  private final ArrayDeque<Runnable> looks = new ArrayDeque<>();
  private final FileThreads threads = new FileThreads(nowNs::get, looks::add, IDLE_MILLIS);
  private final List<Semaphore> gates = new ArrayList<>();
  private final AtomicInteger begun = new AtomicInteger();
  private final AtomicInteger done = new AtomicInteger();

  @AfterEach
  void allRunAndTheThreadsEnd() {
    gates.forEach(Semaphore::release);
    await().until(() -> done.get() == gates.size());
    await().until(() -> threads.threadCount() == 0);
  }

  private Semaphore hang() {
    Semaphore gate = new Semaphore(0);
    gates.add(gate);
    threads.execute(
        () -> {
          begun.incrementAndGet();
          gate.acquireUninterruptibly();
          done.incrementAndGet();
        });
    return gate;
  }

  private void hang(int count) {
    for (int i = 0; i < count; i++) {
      hang();
    }
  }

  private void look(long laterNs) {
    nowNs.addAndGet(laterNs);
    looks.poll().run();
  }

  private void awaitBegun(int count) {
    await().until(() -> begun.get() == count);
    assertThat(threads.threadCount()).isEqualTo(count);
  }

  @Test
  void shouldRunFourAtOnce() {
    hang(4);
    awaitBegun(4);
    assertThat(looks).as("nobody waits").isEmpty();
    hang(2);
    assertThat(looks).as("one look at a time").hasSize(1);
    assertThat(threads.threadCount()).isEqualTo(4);
    gates.get(0).release();
    await().until(() -> begun.get() == 5);
    assertThat(threads.threadCount()).isEqualTo(4);
  }

  @Test
  void shouldRunOthersBesideThoseThatAreStuckForATenthOfASecond() {
    hang(4);
    awaitBegun(4);
    hang(5);
    look(FileThreads.STUCK_NS - 1);
    assertThat(threads.threadCount()).isEqualTo(4);
    look(1);
    awaitBegun(8);
    assertThat(looks).as("one still waits").hasSize(1);
    gates.get(0).release();
    await().until(() -> done.get() == 1);
    await().until(() -> threads.threadCount() == 7 || begun.get() > 8);
    assertThat(begun).as("the one that was stuck had given its turn away").hasValue(8);
    gates.get(7).release();
    await().until(() -> begun.get() == 9);
  }

  @Test
  void shouldStopAtSixtyFourThreads() {
    hang(FileThreads.THREADS_MAX + 1);
    for (int i = 1; i < FileThreads.THREADS_MAX / 4; i++) {
      awaitBegun(4 * i);
      look(FileThreads.STUCK_NS);
    }
    awaitBegun(FileThreads.THREADS_MAX);
    look(FileThreads.STUCK_NS);
    assertThat(threads.threadCount()).isEqualTo(FileThreads.THREADS_MAX);
    gates.get(3).release();
    await().until(() -> begun.get() == FileThreads.THREADS_MAX + 1);
    assertThat(threads.threadCount()).isEqualTo(FileThreads.THREADS_MAX);
  }

  @Test
  void shouldRunFourAtOnceAgainOnceTheDiskAnswers() {
    hang(4);
    awaitBegun(4);
    hang(1);
    look(FileThreads.STUCK_NS);
    awaitBegun(5);
    gates.forEach(Semaphore::release);
    await().until(() -> done.get() == 5);
    gates.clear();
    begun.set(0);
    done.set(0);
    hang(6);
    await().until(() -> begun.get() == 4);
    assertThat(looks).hasSize(1);
    look(FileThreads.STUCK_NS - 1);
    assertThat(begun).hasValue(4);
  }

  @Test
  void shouldGoOnAfterATaskThatThrows() {
    for (int i = 0; i < 9; i++) {
      threads.execute(
          () -> {
            throw new IllegalStateException("on purpose");
          });
    }
    hang(1);
    await().until(() -> begun.get() == 1);
  }
}
