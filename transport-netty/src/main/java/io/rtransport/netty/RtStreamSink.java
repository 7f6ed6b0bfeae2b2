package io.rtransport.netty;

import io.netty.buffer.ByteBuf;
import io.rtransport.core.connection.ApplicationVerbs;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.TreeMap;

/**
 * Sink that gets the bytes of one message in order, as they come, and takes them at its own pace.
 * {@link #begin} comes first, then any number of {@link #fragment}s. The last call is {@link #end}
 * if the message is whole, or {@link #abort} if it will never be. All calls are on the channel's
 * event loop. If one throws, the message fails as with any sink, and {@link #abort} is the last
 * call.
 *
 * <p><b>Back-pressure.</b> Bytes that the sink has not reported as taken hold the node's
 * solicitation budget, or their sender's credit. So the peer sends at most some hundred kilobytes
 * beyond them. {@code read()} and {@code autoRead} hold back the message's delivery to the
 * pipeline, not its fragments.
 */
public abstract class RtStreamSink extends RtSink {
  private final TreeMap<Long, ByteBuf> early = new TreeMap<>();
  private TransferContext context;
  private long rsn;
  private boolean isAnswer;
  private long nextOffset;
  private final long untakenBytesMax;

  /** Makes a sink whose bytes that are not taken are bounded by the node's budget alone. */
  protected RtStreamSink() {
    this(Long.MAX_VALUE);
  }

  /**
   * Makes a sink with a bound of its own.
   *
   * @param untakenBytesMax limit of the bytes that a solicited message is granted and this sink has
   *     not taken; at least 1
   * @throws IllegalArgumentException if it is less
   */
  protected RtStreamSink(long untakenBytesMax) {
    if (untakenBytesMax < 1) {
      throw new IllegalArgumentException(
          "untakenBytesMax=" + untakenBytesMax + ", valid: 1 or more");
    }
    this.untakenBytesMax = untakenBytesMax;
  }

  /**
   * Tells the sink that the message begins. If this throws, the message is refused, and no other
   * call comes.
   *
   * @param lengthBytes of the whole message
   */
  protected void begin(long lengthBytes) throws IOException {}

  /**
   * Receives the next bytes of the message, at least one.
   *
   * @param fragment belongs to the sink, which must release it
   * @return how many of these bytes the sink has taken, 0 to all; it reports the others by {@link
   *     #taken}
   */
  protected abstract int fragment(ByteBuf fragment) throws IOException;

  /**
   * Tells the sink that the message is whole; a push goes to the pipeline next. Bytes that were not
   * taken yet may still be.
   */
  protected void end() throws IOException {}

  /**
   * Tells the sink that the message will never be whole: it was given up, its connection has ended,
   * or this sink has failed. Called once, as the last call.
   */
  protected void abort() {}

  /**
   * Reports that the sink has taken {@code bytes} more, beyond the numbers that {@link #fragment}
   * returned. Any thread; ignored once the transaction has ended.
   *
   * @throws IllegalArgumentException if negative
   */
  protected final void taken(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("bytes=" + bytes + ", valid: 0 or more");
    }
    TransferContext to = context;
    if (to != null && bytes > 0) {
      to.onLoopIfAny(() -> tell(bytes));
    }
  }

  private void tell(long bytes) {
    ApplicationVerbs verbs = context.verbs();
    if (verbs != null) {
      if (isAnswer) {
        verbs.takenOfPull(rsn, bytes);
      } else {
        verbs.taken(rsn, bytes);
      }
    }
  }

  @Override
  final void open(TransferContext on, long ofRsn, boolean answer, long lengthBytes)
      throws IOException {
    if (context != null) {
      throw new IllegalStateException("a sink is for one message only");
    }
    context = on;
    rsn = ofRsn;
    isAnswer = answer;
    begin(lengthBytes);
  }

  /**
   * Copies bytes that come early, until their turn. The budget has paid for them: they were
   * granted.
   */
  @Override
  protected final void write(long offset, ByteBuffer from, int index, int length)
      throws IOException {
    ByteBuf copy = context.alloc().buffer(length, length);
    ByteBuffer view = copy.internalNioBuffer(0, length);
    view.put(view.position(), from, index, length);
    copy.writerIndex(length);
    if (offset != nextOffset) {
      early.put(offset, copy);
      return;
    }
    long taken = give(copy);
    while (!early.isEmpty() && early.firstKey() == nextOffset) {
      taken += give(early.pollFirstEntry().getValue());
    }
    if (taken > 0) {
      tell(taken);
    }
  }

  private int give(ByteBuf next) throws IOException {
    int count = next.readableBytes();
    nextOffset += count;
    int taken = fragment(next);
    if (taken < 0 || taken > count) {
      throw new IOException("fragment returned " + taken + ", valid: 0.." + count);
    }
    return taken;
  }

  @Override
  final String applicationMethod(String method) {
    return switch (method) {
      case "open" -> "begin";
      case "write" -> "fragment";
      default -> "end or abort";
    };
  }

  /** Returns 0: {@link #write} reports the taken bytes itself. */
  @Override
  final int takenOf(int length) {
    return 0;
  }

  @Override
  final long untakenBytesMax() {
    return untakenBytesMax;
  }

  @Override
  protected final void end(boolean whole) throws IOException {
    early.values().forEach(ByteBuf::release);
    early.clear();
    if (!whole) {
      abort();
      return;
    }
    try {
      end();
    } catch (IOException | RuntimeException e) {
      abort();
      throw e;
    }
  }
}
