package io.rtransport.simulator;

import io.rtransport.core.connection.Connection;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * What waits for the application of a {@link TurnHost}: deliveries, and ends. Bytes of pushes count
 * as taken only when the application reads their message; answers to its own pulls are taken as
 * they come.
 */
final class TurnInbox {
  private final SimApplication application;
  private final ArrayDeque<Runnable> ready = new ArrayDeque<>();
  private final ArrayDeque<Runnable> ends = new ArrayDeque<>();
  private final Map<Long, Long> untakenBytes = new HashMap<>();
  private Connection connection;

  TurnInbox(SimApplication application) {
    this.application = application;
  }

  void connection(Connection owned) {
    connection = owned;
  }

  PayloadSink pushes() {
    PayloadSink inner = application.pushSink();
    return new Forwarding(inner) {
      @Override
      public int write(long handle, long offset, ByteBuffer from, int index, int length) {
        inner.write(handle, offset, from, index, length);
        untakenBytes.merge(handle, (long) length, Long::sum);
        return 0;
      }

      @Override
      public void deliver(long handle, boolean isWhole) {
        if (isWhole) {
          ready.add(() -> readPush(inner, handle));
        } else {
          inner.deliver(handle, false);
        }
      }

      @Override
      public boolean isKeptWhole(long handle) {
        return true;
      }
    };
  }

  private void readPush(PayloadSink inner, long handle) {
    inner.deliver(handle, true);
    Long taken = untakenBytes.remove(handle);
    if (taken != null && taken > 0) {
      connection.verbs().taken(application.pushRsn(handle), taken);
    }
  }

  PayloadSink answers() {
    PayloadSink inner = application.answerSink();
    return new Forwarding(inner) {
      @Override
      public void deliver(long handle, boolean isWhole) {
        ends.add(() -> inner.deliver(handle, isWhole));
      }
    };
  }

  void onPullRequest(long rsn, long lengthBytesMax, ByteBuffer header, int index, int length) {
    ByteBuffer copy = ByteBuffer.allocate(length).put(0, header, index, length);
    ready.add(() -> application.onPullRequest(rsn, lengthBytesMax, copy, 0, length));
  }

  void onEnded(Runnable end) {
    ends.add(end);
  }

  boolean hasReady() {
    return !ready.isEmpty();
  }

  boolean hasEnds() {
    return !ends.isEmpty();
  }

  /**
   * The application reads all that is there, and before that hears of the ends that may be why it
   * was sent.
   */
  void read() {
    if (!ready.isEmpty()) {
      runEnds();
    }
    while (!ready.isEmpty()) {
      ready.poll().run();
    }
  }

  /** It hears of the ends of its own transactions. */
  void runEnds() {
    while (!ends.isEmpty()) {
      ends.poll().run();
    }
  }

  /** A sink that hands everything on. */
  private static class Forwarding implements PayloadSink {
    private final PayloadSink inner;

    Forwarding(PayloadSink inner) {
      this.inner = inner;
    }

    @Override
    public long open(long rsn, long lengthBytes, ByteBuffer header, int index, int length) {
      return inner.open(rsn, lengthBytes, header, index, length);
    }

    @Override
    public int write(long handle, long offset, ByteBuffer from, int index, int length) {
      return inner.write(handle, offset, from, index, length);
    }

    @Override
    public void deliver(long handle, boolean isWhole) {
      inner.deliver(handle, isWhole);
    }

    @Override
    public boolean isKeptWhole(long handle) {
      return false;
    }
  }
}
