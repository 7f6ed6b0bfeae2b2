package io.rtransport.loadgen.proof;

import io.rtransport.netty.RtSink;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A push's way into a temporary file, which is gone when it has been read or the push has been
 * given up.
 */
final class ProofSink extends RtSink {
  private final int lengthBytes;
  private final AtomicLong filesOpen;
  private FileChannel file;

  ProofSink(int lengthBytes, AtomicLong filesOpen) {
    this.lengthBytes = lengthBytes;
    this.filesOpen = filesOpen;
  }

  private FileChannel file() throws IOException {
    if (file == null) {
      file =
          FileChannel.open(
              Files.createTempFile("rt-proof", ".sink"),
              StandardOpenOption.READ,
              StandardOpenOption.WRITE,
              StandardOpenOption.DELETE_ON_CLOSE);
      filesOpen.incrementAndGet();
    }
    return file;
  }

  @Override
  protected void write(long offset, ByteBuffer from, int index, int length) throws IOException {
    ByteBuffer source = from.duplicate().limit(index + length).position(index);
    while (source.hasRemaining()) {
      file().write(source, offset + (source.position() - index));
    }
  }

  @Override
  protected void end(boolean whole) throws IOException {
    if (!whole && file != null) {
      close();
    }
  }

  /** The whole message; once. */
  byte[] take() {
    ByteBuffer bytes = ByteBuffer.allocate(lengthBytes);
    try {
      while (bytes.hasRemaining() && file().read(bytes, bytes.position()) >= 0) {
        // the rest
      }
      if (file != null) {
        close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.array();
  }

  private void close() throws IOException {
    file.close();
    file = null;
    filesOpen.decrementAndGet();
  }
}
