package io.rtransport.netty;

import io.rtransport.core.wire.CloseCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * Where an application lets the bytes of one inbound message go as they arrive, instead of a
 * buffer. Chosen by {@link PayloadSinks} for a push, before the first grant, or given to a {@link
 * Pull}. Called on the channel's event loop only; reused for no second message. Must not block: a
 * call of more than 20 ms is counted, and logged once a class.
 */
public abstract class RtSink {
  /**
   * Bytes of the message, to be taken before the call returns: ranges in any order, each byte
   * exactly once.
   *
   * @param offset of the range in the message
   * @param from holds it at {@code [index, index + length)}; borrowed, absolute access only
   * @throws IOException if there is no place for them: the message fails with {@link
   *     CloseCode#REFUSED_BY_SINK}, the exception is logged, its peer stops sending it, and there
   *     are no further calls but {@link #end}
   */
  protected abstract void write(long offset, ByteBuffer from, int index, int length)
      throws IOException;

  /**
   * The last call. When {@code whole}, every byte has been written, and the message is about to be
   * given to the pipeline as an {@link RtPush} (or the pull's future is about to complete).
   */
  protected void end(boolean whole) throws IOException {}

  /** The message begins. */
  void open(TransferContext context, long rsn, boolean isAnswer, long lengthBytes)
      throws IOException {}

  /** How many of the bytes of a {@link #write} it has taken when that returns. */
  int takenOf(int length) {
    return length;
  }

  /** Whether its calls are known not to block: nobody needs to watch them. */
  boolean isPrompt() {
    return false;
  }

  /** Bytes of the message that may have been granted and not yet taken. */
  long untakenBytesMax() {
    return Long.MAX_VALUE;
  }

  /**
   * Whether {@link #end} may be called, once all bytes were given to it: it has them where they
   * belong, or has failed.
   */
  boolean isSettled() {
    return true;
  }

  /** Has {@code told} run on the event loop, or now, once it {@link #isSettled}. */
  void onSettled(Runnable told) {
    told.run();
  }

  /** {@link #open}, whatever it throws: the reason why the message is refused, or null. */
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

  /** {@link #write}, whatever it throws: the reason why the bytes have no place, or null. */
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
   * {@link #end}, whatever it throws: the reason why the message is not taken, or null.
   *
   * @param context of the channel on whose event loop this is; null if none had the sink
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

  /** What an application has written that a call of {@code method} enters. */
  String applicationMethod(String method) {
    return method;
  }

  /** A call of the application's begins. */
  private long begin(TransferContext context) {
    return isPrompt() || context == null ? 0 : SlowCalls.nowNs(context);
  }

  private void end(TransferContext context, String method, long beganNs) {
    if (!isPrompt() && context != null) {
      SlowCalls.judge(context, this, applicationMethod(method), beganNs);
    }
  }

  /**
   * Writes the message to {@code file} from {@code position}, behind the event loop, by the {@link
   * RtChannelOption#FILE_EXECUTOR}: see {@link RtFileSink}. All of it is written when the message
   * is read, or the pull's promise done. The file is not closed.
   */
  public static RtSink toFile(FileChannel file, long position) {
    return new RtFileSink(file, position);
  }

  /**
   * Refuses the message: the peer's push fails with {@code code} (0..2^31-1), and none of its bytes
   * travel if it was solicited.
   */
  public static RtSink refuse(int code) {
    return new Refusal(code & Integer.MAX_VALUE, false);
  }

  /**
   * Puts the message off: a solicited one gets no grant, so none of its bytes travel; another waits
   * undelivered and keeps its credit. The chooser is asked again after {@link Later#askAgain}. On
   * an ordered connection the messages behind it wait too.
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
     * Has the chooser asked again, once, on the channel's event loop. On any thread, before the
     * chooser has returned too. Nothing happens if the message was given up meanwhile, or its
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

  /** An answer to {@link PayloadSinks#choose} that is not a place for bytes. */
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
