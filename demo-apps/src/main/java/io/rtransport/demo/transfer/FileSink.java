package io.rtransport.demo.transfer;

import io.rtransport.netty.RtSink;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.function.LongConsumer;

/** A message on its way into a file, by positional writes: ranges may come in any order. The file stays open. */
public class FileSink extends RtSink {
  private final FileChannel file;
  private final LongConsumer onWritten;
  private ByteBuffer source;
  private ByteBuffer view;

  /**
   * @param file written from 0
   * @param onWritten told of bytes as they arrive, on the event loop
   */
  public FileSink(FileChannel file, LongConsumer onWritten) {
    this.file = file;
    this.onWritten = onWritten;
  }

  @Override
  protected void write(long offset, ByteBuffer from, int index, int length) throws IOException {
    if (from != source) {
      source = from;
      view = from.duplicate();
    }
    view.limit(index + length).position(index);
    while (view.hasRemaining()) {
      file.write(view, offset + (view.position() - index));
    }
    onWritten.accept(length);
  }

  @Override
  protected void end(boolean whole) throws IOException {
    source = null;
    view = null;
  }
}
