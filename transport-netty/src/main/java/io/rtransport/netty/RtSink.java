package io.rtransport.netty;

import io.rtransport.core.connection.CloseCode;
import io.rtransport.core.transaction.PayloadSink;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * Where an application lets the bytes of one inbound message go as they arrive, instead of a buffer. Chosen by {@link PayloadSinks} for a
 * push, before the first grant, or given to a {@link Pull}. Called on the channel's event loop only; reused for no second message.
 */
public abstract class RtSink {
  /**
   * Bytes of the message, to be taken before the call returns: ranges in any order, each byte exactly once.
   *
   * @param offset of the range in the message
   * @param from holds it at {@code [index, index + length)}; borrowed, absolute access only
   * @throws IOException if there is no place for them: the peer's push fails with {@link CloseCode#REFUSED_BY_SINK}, the exception is logged,
   *     and there are no further calls but {@link #end}
   */
  protected abstract void write(long offset, ByteBuffer from, int index, int length)
      throws IOException;

  /**
   * The last call. When {@code whole}, every byte has been written, and the message is about to be given to the pipeline as an {@link RtPush}
   * (or the pull's future is about to complete).
   */
  protected void end(boolean whole) throws IOException {}

  /** {@link #write}, whatever it throws: the reason why the bytes have no place, or null. */
  final IOException tryWrite(long offset, ByteBuffer from, int index, int length) {
    try {
      write(offset, from, index, length);
      return null;
    } catch (IOException e) {
      return e;
    } catch (RuntimeException e) {
      return new IOException(e.toString(), e);
    }
  }

  /** {@link #end}, whatever it throws: the reason why the message is not taken, or null. */
  final IOException tryEnd(boolean whole) {
    try {
      end(whole);
      return null;
    } catch (IOException e) {
      return e;
    } catch (RuntimeException e) {
      return new IOException(e.toString(), e);
    }
  }

  /** Writes the message to {@code file} from {@code position}. The file is not closed. */
  public static RtSink toFile(FileChannel file, long position) {
    return new FileSink(file, position);
  }

  /** Refuses the message: the peer's push fails with {@code code} (0..2^31-1), and none of its bytes travel if it was solicited. */
  public static RtSink refuse(int code) {
    return new Refusal(PayloadSink.refuse(code));
  }

  static RtSink refuseByTransport(CloseCode code) {
    return new Refusal(PayloadSink.refuseByTransport(code));
  }

  /** An answer to {@link PayloadSinks#choose} that is not a place for bytes. */
  static final class Refusal extends RtSink {
    final long answer;

    Refusal(long answer) {
      this.answer = answer;
    }

    @Override
    protected void write(long offset, ByteBuffer from, int index, int length) throws IOException {
      throw new IOException("the message was refused");
    }
  }

  /** Positional writes, so ranges may come in any order. */
  private static final class FileSink extends RtSink {
    private final FileChannel file;
    private final long position;
    private ByteBuffer source;
    private ByteBuffer view;

    FileSink(FileChannel file, long position) {
      this.file = file;
      this.position = position;
    }

    @Override
    protected void write(long offset, ByteBuffer from, int index, int length) throws IOException {
      if (from != source) {
        source = from;
        view = from.duplicate();
      }
      view.limit(index + length).position(index);
      while (view.hasRemaining()) {
        file.write(view, position + offset + (view.position() - index));
      }
    }

    @Override
    protected void end(boolean whole) {
      source = null;
      view = null;
    }
  }
}
