package io.rtransport.netty;

import io.rtransport.netty.internal.file.FileBlocks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * Payload of a range of a file, read ahead, and of a trailer that is made once the whole range is
 * read.
 */
class RtPayloadOfFile extends ReadAheadPayload {
  private final FileChannel file;
  private final long position;
  private final long fileBytes;
  private final boolean closes;

  RtPayloadOfFile(
      FileBlocks blocks,
      FileChannel file,
      long position,
      long fileBytes,
      int trailerBytes,
      boolean closes) {
    super(blocks, fileBytes + trailerBytes);
    if (position < 0 || fileBytes < 0 || trailerBytes < 0) {
      throw new IllegalArgumentException(
          "position="
              + position
              + ", lengthBytes="
              + fileBytes
              + ", trailerBytes="
              + trailerBytes
              + ", valid: at least 0");
    }
    this.file = file;
    this.position = position;
    this.fileBytes = fileBytes;
    this.closes = closes;
  }

  @Override
  final int readAt(long offset, ByteBuffer to) throws IOException {
    int start = to.position();
    int end = to.limit();
    if (offset >= fileBytes) {
      trailer((int) (offset - fileBytes), to);
      return to.position() - start;
    }
    to.limit((int) Math.min(end, start + fileBytes - offset));
    int count = file.read(to, position + offset);
    to.limit(end);
    if (count > 0) {
      onRead(to.duplicate().flip().position(start));
    }
    return count;
  }

  /** Receives all bytes of the file, in order, before they are sent. On the executor. */
  void onRead(ByteBuffer bytes) throws IOException {}

  /**
   * Fills {@code to} with the trailer's bytes from {@code offset}. On the executor, after the last
   * {@link #onRead}.
   */
  void trailer(int offset, ByteBuffer to) throws IOException {}

  @Override
  final void closeSource() {
    if (closes) {
      try {
        file.close();
      } catch (IOException e) {
        // The file was only read: nothing depends on the close.
        onClosed();
        return;
      }
    }
    onClosed();
  }

  /** Tells that the file is not read any more. */
  void onClosed() {}
}
