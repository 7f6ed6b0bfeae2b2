package io.rtransport.netty;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** A stretch of a file, read ahead. */
class RtPayloadOfFile extends ReadAheadPayload {
  private final FileChannel file;
  private final long position;
  private final boolean closes;

  RtPayloadOfFile(
      FileBlocks blocks, FileChannel file, long position, long lengthBytes, boolean closes) {
    super(blocks, lengthBytes);
    if (position < 0 || lengthBytes < 0) {
      throw new IllegalArgumentException(
          "position=" + position + ", lengthBytes=" + lengthBytes + ", valid: at least 0");
    }
    this.file = file;
    this.position = position;
    this.closes = closes;
  }

  @Override
  final int readAt(long offset, ByteBuffer to) throws IOException {
    return file.read(to, position + offset);
  }

  @Override
  final void closeSource() {
    if (closes) {
      try {
        file.close();
      } catch (IOException e) {
        // It was only read: nothing depends on the close.
        onClosed();
        return;
      }
    }
    onClosed();
  }

  /** The file is not read any more. */
  void onClosed() {}
}
