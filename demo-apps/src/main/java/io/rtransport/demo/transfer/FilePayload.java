package io.rtransport.demo.transfer;

import io.rtransport.netty.RtPayload;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.function.LongConsumer;

/** A whole file as a message: read straight into packets, closed at its release. */
public final class FilePayload extends RtPayload {
  private final FileChannel file;
  private final long lengthBytes;
  private final LongConsumer onCopied;
  private final Runnable onReleased;
  private ByteBuffer target;
  private ByteBuffer view;

  /**
   * @param file taken over
   * @param lengthBytes of the message; the file must keep at least as many
   * @param onCopied told of bytes as they are put into packets, on the event loop
   * @param onReleased told once, on any thread
   */
  public FilePayload(
      FileChannel file, long lengthBytes, LongConsumer onCopied, Runnable onReleased) {
    this.file = file;
    this.lengthBytes = lengthBytes;
    this.onCopied = onCopied;
    this.onReleased = onReleased;
  }

  @Override
  public long lengthBytes() {
    return lengthBytes;
  }

  @Override
  protected int copy(long offset, ByteBuffer to, int index, int length) throws IOException {
    if (to != target) {
      target = to;
      view = to.duplicate();
    }
    view.limit(index + length).position(index);
    while (view.hasRemaining()) {
      if (file.read(view, offset + (view.position() - index)) < 0) {
        throw new EOFException("the file became shorter while it was sent");
      }
    }
    onCopied.accept(length);
    return length;
  }

  @Override
  protected void deallocate() {
    try {
      file.close();
    } catch (IOException e) {
      // It was only read: nothing depends on the close.
      return;
    } finally {
      onReleased.run();
    }
  }
}
