package io.rtransport.netty;

import io.rtransport.netty.internal.file.FileBlocks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * A range of a file as a message, as {@link RtPayload#ofFile} makes it, with methods that tell an
 * application about its progress. The {@link RtChannelOption#FILE_EXECUTOR} reads the file ahead;
 * the event loop never reads it.
 */
public class RtFilePayload extends RtPayloadOfFile {
  /**
   * @param file its bytes must not change before the file is closed or the payload released
   * @param position position of the first byte, at least 0
   * @param lengthBytes length of the message; the file must not become shorter than this range
   * @param closes whether RT closes the file once all is read, or at the release
   */
  public RtFilePayload(FileChannel file, long position, long lengthBytes, boolean closes) {
    this(file, position, lengthBytes, 0, closes);
  }

  /**
   * Makes the same payload with a trailer behind the bytes of the file, a checksum for example.
   * {@link #trailer} gives its bytes once the file is read.
   *
   * @param lengthBytes length of the range of the file
   * @param trailerBytes length of the trailer, at least 0; the message is longer by it
   */
  public RtFilePayload(
      FileChannel file, long position, long lengthBytes, int trailerBytes, boolean closes) {
    super(FileBlocks.SHARED, file, position, lengthBytes, trailerBytes, closes);
  }

  /**
   * Receives all bytes of the file, in order, before they are sent, for a checksum in the same
   * pass. Called on the executor, one call at a time.
   */
  @Override
  protected void onRead(ByteBuffer bytes) throws IOException {}

  /**
   * Fills {@code to} with the trailer's bytes from {@code offset}. Called on the executor, after
   * the last {@link #onRead}.
   */
  @Override
  protected void trailer(int offset, ByteBuffer to) throws IOException {
    throw new IOException("a payload with a trailer does not say which");
  }

  /** Receives the number of bytes that were put into packets just now. Called on the event loop. */
  protected void onCopied(int bytes) {}

  /**
   * Tells that the file is not read any more, and is closed if {@code closes} was set. Called once,
   * on any thread.
   */
  @Override
  protected void onClosed() {}

  @Override
  protected int copy(long offset, ByteBuffer to, int index, int length) throws IOException {
    int copied = super.copy(offset, to, index, length);
    if (copied > 0) {
      onCopied(copied);
    }
    return copied;
  }
}
