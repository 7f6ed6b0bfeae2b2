package io.rtransport.netty;

import io.netty.buffer.ByteBuf;
import io.rtransport.core.connection.ApplicationVerbs;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.TreeMap;

/**
 * A sink that is given the bytes of one message in their order, as they come, and takes them at its
 * own pace: {@link #begin}, any number of {@link #fragment}s, and then either {@link #end}, when
 * the message is whole, or {@link #abort}, when it will never be. Each is called on the channel's
 * event loop; one that throws fails the message as any sink does, and {@link #abort} is the last
 * call.
 *
 * <p><b>Back-pressure.</b> Bytes of which the sink has not said that it has taken them hold the
 * node's solicitation budget, or their sender's credit: so the peer sends no more than some hundred
 * kilobytes beyond them. {@code read()} and {@code autoRead} hold back the message's delivery to
 * the pipeline, not its fragments.
 */
public abstract class RtStreamSink extends RtSink {
  private final TreeMap<Long, ByteBuf> early = new TreeMap<>();
  private TransferContext context;
  private long rsn;
  private boolean isAnswer;
  private long nextOffset;

  /**
   * The message begins. If this throws, it is refused, and no other call comes.
   *
   * @param lengthBytes of the whole message
   */
  protected void begin(long lengthBytes) throws IOException {}

  /**
   * The next bytes of the message, at least one.
   *
   * @param fragment the sink's own, to be released
   * @return how many of these bytes it has taken, 0 to all; of the others it says so by {@link
   *     #taken}
   */
  protected abstract int fragment(ByteBuf fragment) throws IOException;

  /**
   * The message was whole; a push goes to the pipeline next. What was not taken yet still may be.
   */
  protected void end() throws IOException {}

  /**
   * The message will never be whole: it was given up, its connection has ended, or this sink has
   * failed. Once, and then nothing more.
   */
  protected void abort() {}

  /**
   * So many bytes were taken, beyond what {@link #fragment} returned. On any thread; ignored once
   * the transaction has ended.
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

  /** What has come early waits as a copy: it was granted, so the budget has paid for it. */
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

  /** {@link #write} has told by itself. */
  @Override
  final int takenOf(int length) {
    return 0;
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
