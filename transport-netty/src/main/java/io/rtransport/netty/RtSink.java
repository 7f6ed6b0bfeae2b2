package io.rtransport.netty;

import io.rtransport.core.outcome.CloseCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * Target for the bytes of one inbound message, which the application gives instead of a buffer.
 * {@link PayloadSinks} chooses it for a push, before the first grant; a {@link Pull} has its own.
 * RT calls it on the channel's event loop only. A sink is for one message only. It must not block:
 * a call of more than 20 ms is counted, and logged once for each class.
 */
public abstract class RtSink {
  /**
   * Takes bytes of the message before the call returns. The ranges come in any order, each byte
   * exactly once.
   *
   * @param offset of the range in the message
   * @param from holds the range at {@code [index, index + length)}; borrowed, absolute access only
   * @throws IOException if there is no place for the bytes: the message fails with {@link
   *     CloseCode#REFUSED_BY_SINK}, the exception is logged, the peer stops sending the message,
   *     and {@link #end} is the only further call
   */
  protected abstract void write(long offset, ByteBuffer from, int index, int length)
      throws IOException;

  /**
   * Ends the message; the last call. If {@code whole}, every byte has been written. Then the
   * message goes to the pipeline next as an {@link RtPush}, or the pull's future completes.
   */
  protected void end(boolean whole) throws IOException {}

  /** Tells the sink that the message begins. */
  void open(TransferContext context, long rsn, boolean isAnswer, long lengthBytes)
      throws IOException {}

  /** Returns how many of the bytes of a {@link #write} the sink has taken when the call returns. */
  int takenOf(int length) {
    return length;
  }

  /**
   * Returns whether the sink's methods certainly do not block, so that their time needs no check.
   */
  boolean isPrompt() {
    return false;
  }

  /** Returns the limit of the message's bytes that are granted and not yet taken. */
  long untakenBytesMax() {
    return Long.MAX_VALUE;
  }

  /**
   * Returns whether {@link #end} may be called once all bytes were given to the sink: the bytes are
   * where they belong, or the sink has failed.
   */
  boolean isSettled() {
    return true;
  }

  /** Runs {@code told} once the sink {@link #isSettled}: now, or later on the event loop. */
  void onSettled(Runnable told) {
    told.run();
  }

  /**
   * Calls {@link #open} and catches all exceptions. Returns the reason why the message is refused,
   * or null.
   */
  final IOException tryOpen(TransferContext context, long rsn, boolean isAnswer, long lengthBytes) {
    long beganNs = begin(context);
    try {
      open(context, rsn, isAnswer, lengthBytes);
      return null;
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      return reason(e);
    } finally {
      end(context, "open", beganNs);
    }
  }

  /**
   * Calls {@link #write} and catches all exceptions. Returns the reason why the bytes have no
   * place, or null.
   */
  final IOException tryWrite(
      TransferContext context, long offset, ByteBuffer from, int index, int length) {
    long beganNs = begin(context);
    try {
      write(offset, from, index, length);
      return null;
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      return reason(e);
    } finally {
      end(context, "write", beganNs);
    }
  }

  /**
   * Calls {@link #end} and catches all exceptions. Returns the reason why the message is not taken,
   * or null.
   *
   * @param context of the channel on whose event loop this call is; null if no channel had the sink
   */
  final IOException tryEnd(TransferContext context, boolean whole) {
    long beganNs = begin(context);
    try {
      end(whole);
      return null;
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      return reason(e);
    } finally {
      end(context, "end", beganNs);
    }
  }

  private static IOException reason(Throwable thrown) {
    return thrown instanceof IOException e ? e : new IOException(thrown.toString(), thrown);
  }

  /** Returns the name of the application's method that a call of {@code method} enters. */
  String applicationMethod(String method) {
    return method;
  }

  /** Returns when a call into the application begins; 0 if its time needs no check. */
  private long begin(TransferContext context) {
    return isPrompt() || context == null ? 0 : SlowCalls.nowNs(context);
  }

  private void end(TransferContext context, String method, long beganNs) {
    if (!isPrompt() && context != null) {
      SlowCalls.judge(context, this, applicationMethod(method), beganNs);
    }
  }

  /**
   * Returns a sink that writes the message to {@code file} from {@code position}. The {@link
   * RtChannelOption#FILE_EXECUTOR} writes, not the event loop: see {@link RtFileSink}. All bytes
   * are written when the message is read, or the pull's promise is done. The file is not closed.
   */
  public static RtSink toFile(FileChannel file, long position) {
    return new RtFileSink(file, position);
  }

  /**
   * Refuses the message: the peer's push fails with {@code code} (0..2^31-1). If the push was
   * solicited, none of its bytes are sent.
   */
  public static RtSink refuse(int code) {
    return new Refusal(code & Integer.MAX_VALUE, false);
  }

  /**
   * Puts the message off. A solicited message gets no grant, so none of its bytes are sent. An
   * unsolicited message waits undelivered and keeps its credit. The chooser is asked again after
   * {@link Later#askAgain}. On an ordered connection the messages behind it wait too.
   */
  public static Later later() {
    return new Later();
  }

  static RtSink refuseByTransport(CloseCode code) {
    return new Refusal(code.code(), true);
  }

  /** An answer to {@link PayloadSinks#choose} that puts one message off. */
  public static final class Later extends RtSink {
    private TransferContext context;
    private long rsn;
    private boolean isDue;

    private Later() {}

    /**
     * Makes the channel ask the chooser again, once, on its event loop. Any thread, even before the
     * chooser has returned. Nothing happens if the message was given up meanwhile, or its
     * connection has ended.
     */
    public void askAgain() {
      TransferContext to;
      synchronized (this) {
        isDue = true;
        to = context;
      }
      if (to != null) {
        to.onLoopIfAny(() -> retry(to));
      }
    }

    private void retry(TransferContext on) {
      if (on.verbs() != null) {
        on.verbs().retryOpen(rsn);
      }
    }

    @Override
    boolean isPrompt() {
      return true;
    }

    @Override
    void open(TransferContext on, long ofRsn, boolean isAnswer, long lengthBytes) {
      boolean isAgain;
      synchronized (this) {
        if (context != null) {
          throw new IllegalStateException("a postponement is for one message, once");
        }
        rsn = ofRsn;
        context = on;
        isAgain = isDue;
      }
      if (isAgain) {
        retry(on);
      }
    }

    @Override
    protected void write(long offset, ByteBuffer from, int index, int length) throws IOException {
      throw new IOException("the message was put off");
    }
  }

  /** An answer to {@link PayloadSinks#choose} that refuses the message. */
  static final class Refusal extends RtSink {
    final int code;
    final boolean isFromTransport;

    Refusal(int code, boolean isFromTransport) {
      this.code = code;
      this.isFromTransport = isFromTransport;
    }

    @Override
    protected void write(long offset, ByteBuffer from, int index, int length) throws IOException {
      throw new IOException("the message was refused");
    }
  }
}
