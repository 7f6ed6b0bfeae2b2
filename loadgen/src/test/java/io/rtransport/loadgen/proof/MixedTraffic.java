package io.rtransport.loadgen.proof;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.netty.Pull;
import io.rtransport.netty.Push;
import io.rtransport.netty.RtException;
import io.rtransport.netty.RtPayload;
import io.rtransport.netty.facade.RtConnection;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Everything that an application does with a connection, drawn at random: pushes of 0 B to 1 MiB,
 * pulls, some given up, some with a deadline, a bounded number under way. It knows how each must
 * end, and that each ends. One thread drives it.
 */
final class MixedTraffic {
  private static final int UNDER_WAY_MAX = 32;
  private static final int SHORT_BYTES = 2 << 10;
  private static final int MEDIUM_BYTES = 32 << 10;
  private static final int LONG_BYTES = 1 << 20;
  private static final int BUFFERS_WATCHED = 256;
  private static final Duration WARM_UP = Duration.ofSeconds(60);

  private final RtConnection connection;
  private final long life;
  private final long stream;
  private final SplittableRandom random;
  private final Semaphore room = new Semaphore(UNDER_WAY_MAX);
  private final List<ByteBuf> payloads = new ArrayList<>();
  private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
  private final Queue<String> losses = new ConcurrentLinkedQueue<>();
  private final AtomicLong succeeded = new AtomicLong();
  private final AtomicLong givenUp = new AtomicLong();
  private final AtomicLong lost = new AtomicLong();
  private Path file;
  private long sequence;

  MixedTraffic(RtConnection connection, long life, long stream, long seed) {
    this.connection = connection;
    this.life = life;
    this.stream = stream;
    this.random = new SplittableRandom(seed);
  }

  /** Has some pushes come from a file, whose bytes are those of {@link ProofMessage#FILE}. */
  MixedTraffic files(Path from) {
    file = from;
    return this;
  }

  /**
   * One more transaction, when there is room for it; none once the connection has ended, or has
   * given no room for so long.
   */
  boolean step(Duration patience) throws Exception {
    long endNs = System.nanoTime() + patience.toNanos();
    while (!room.tryAcquire(10, TimeUnit.MILLISECONDS)) {
      if (connection.closeReason() != null || System.nanoTime() - endNs > 0) {
        return false;
      }
    }
    boolean isFile = file != null && random.nextInt(100) == 0;
    ProofMessage message =
        isFile
            ? new ProofMessage(life, stream, sequence++, ProofMessage.FILE)
            : new ProofMessage(life, stream, sequence++);
    boolean isGivenUp = random.nextInt(16) == 0;
    boolean isDue = random.nextInt(16) == 0;
    boolean isPull = random.nextInt(3) == 0;
    int lengthBytes = lengthBytes();
    if (isFile) {
      push(message, new Push(filePayload(), message.header()), isGivenUp, isDue);
    } else if (isPull) {
      pull(message, lengthBytes, isGivenUp, isDue);
    } else {
      push(message, lengthBytes, isGivenUp, isDue);
    }
    return connection.closeReason() == null;
  }

  /**
   * Goes on until a transaction has ended as the target decided: only then is there traffic in
   * whose middle something can happen.
   */
  void warmUp() throws Exception {
    long endNs = System.nanoTime() + WARM_UP.toNanos();
    while (succeeded.get() == 0) {
      boolean isInTime = step(WARM_UP) && System.nanoTime() - endNs < 0;
      if (!isInTime) {
        throw new AssertionError("nothing done; the connection: " + connection.closeReason());
      }
    }
  }

  private int lengthBytes() {
    int dice = random.nextInt(64);
    int bound = dice == 0 ? LONG_BYTES : dice < 12 ? MEDIUM_BYTES : SHORT_BYTES;
    return random.nextInt(bound + 1);
  }

  /** A stretch from the file's beginning, through a channel of its own. */
  private RtPayload filePayload() throws IOException {
    FileChannel bytes = FileChannel.open(file, StandardOpenOption.READ);
    return RtPayload.ofFile(bytes, 0, random.nextLong(bytes.size() + 1), true);
  }

  private void push(ProofMessage message, int lengthBytes, boolean isGivenUp, boolean isDue) {
    ByteBuf payload = PooledByteBufAllocator.DEFAULT.directBuffer(lengthBytes + 1);
    payload.writeBytes(message.payload(lengthBytes));
    watch(payload);
    push(message, Push.of(payload, message.header()), isGivenUp, isDue);
  }

  private void push(ProofMessage message, Push push, boolean isGivenUp, boolean isDue) {
    if (isDue) {
      push.deadline(Duration.ofMillis(1 + random.nextInt(50)));
    }
    expect(
        message,
        "push of " + push.payload().lengthBytes(),
        connection.push(push),
        isGivenUp || isDue,
        bytes -> true);
    if (isGivenUp) {
      push.cancel();
    }
  }

  private void pull(ProofMessage message, int lengthBytes, boolean isGivenUp, boolean isDue) {
    Pull pull = Pull.of(message.header(), lengthBytes);
    if (isDue) {
      pull.deadline(Duration.ofMillis(1 + random.nextInt(50)));
    }
    byte[] expected = message.payload(lengthBytes);
    expect(
        message,
        "pull of " + lengthBytes,
        connection.pull(pull),
        isGivenUp || isDue,
        bytes -> Arrays.equals(expected, (byte[]) bytes));
    if (isGivenUp) {
      pull.cancel();
    }
  }

  private interface Check {
    boolean isRight(Object value);
  }

  private void expect(
      ProofMessage message,
      String what,
      CompletableFuture<?> end,
      boolean mayBeGivenUp,
      Check check) {
    end.whenComplete(
        (value, failure) -> {
          String fault = failure == null ? success(message, value, check) : null;
          if (failure != null) {
            fault = failure(message, what, failure, mayBeGivenUp);
          }
          if (fault != null) {
            wrong.add(message + ": " + fault);
          }
          room.release();
        });
  }

  private String success(ProofMessage message, Object value, Check check) {
    succeeded.incrementAndGet();
    return message.isToFail()
        ? "succeeded, and was to fail"
        : check.isRight(value) ? null : "other bytes";
  }

  private String failure(
      ProofMessage message, String what, Throwable failure, boolean mayBeGivenUp) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (!(cause instanceof RtException reason)) {
      return String.valueOf(cause);
    }
    if (reason.outcome() == Outcome.FAILED) {
      succeeded.incrementAndGet();
      return message.isToFail() && reason.code() == ProofMessage.FAILURE_CODE
          ? null
          : "failed by the application: " + reason;
    }
    if (mayBeGivenUp) {
      givenUp.incrementAndGet();
      return null;
    }
    // Told before the connection's own end is, so whether it has ended is looked at afterwards.
    lost.incrementAndGet();
    losses.add(what + " " + message + ": " + reason);
    return null;
  }

  private void watch(ByteBuf payload) {
    if (payloads.size() >= BUFFERS_WATCHED) {
      payloads.removeIf(buffer -> buffer.refCnt() == 0);
    }
    payloads.add(payload);
  }

  /**
   * Waits for the end of everything that was begun; how many have not ended within {@code
   * patience}.
   */
  int awaitEnds(Duration patience) throws InterruptedException {
    if (room.tryAcquire(UNDER_WAY_MAX, patience.toNanos(), TimeUnit.NANOSECONDS)) {
      room.release(UNDER_WAY_MAX);
      return 0;
    }
    return UNDER_WAY_MAX - room.availablePermits();
  }

  /** Payloads handed over that nobody has released: none once all has ended. */
  long held() {
    return payloads.stream().filter(buffer -> buffer.refCnt() != 0).count();
  }

  /** Ends that cannot be. */
  List<String> wrong() {
    return List.copyOf(wrong);
  }

  /** Ended as the target's application decided. */
  long succeeded() {
    return succeeded.get();
  }

  /** Cancelled, or too late for their deadline. */
  long givenUp() {
    return givenUp.get();
  }

  /** What was lost, and what was said of it. */
  List<String> losses() {
    return List.copyOf(losses);
  }

  /** Ended by the connection's end: none while it lives. */
  long lost() {
    return lost.get();
  }
}
