package io.rtransport.netty;

import io.rtransport.netty.internal.file.FileBlocks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * A stretch of a file as a message, as {@link RtPayload#ofFile} makes it, with calls for what an
 * application wants to know of it. Read ahead by the {@link RtChannelOption#FILE_EXECUTOR}, never
 * on an event loop.
 */
public class RtFilePayload extends RtPayloadOfFile {
  /**
   * @param file its bytes must not change before it is closed or the payload released
   * @param position of the first byte, at least 0
   * @param lengthBytes of the message; the file must keep as many
   * @param closes whether the file is closed once all is read, or at the release
   */
  public RtFilePayload(FileChannel file, long position, long lengthBytes, boolean closes) {
    this(file, position, lengthBytes, 0, closes);
  }

  /**
   * The same, with bytes behind those of the file that are asked of {@link #trailer} once the file
   * is read: a checksum, say.
   *
   * @param lengthBytes of the stretch of the file; the message is longer by {@code trailerBytes},
   *     at least 0
   */
  public RtFilePayload(
      FileChannel file, long position, long lengthBytes, int trailerBytes, boolean closes) {
    super(FileBlocks.SHARED, file, position, lengthBytes, trailerBytes, closes);
  }

  /**
   * Told of all bytes of the file, in order, before they are sent: for a checksum in the same pass.
   * On the executor, one call at a time.
   */
  @Override
  protected void onRead(ByteBuffer bytes) throws IOException {}

  /**
   * Fills {@code to} with the trailer's bytes from {@code offset}. On the executor, after the last
   * {@link #onRead}.
   */
  @Override
  protected void trailer(int offset, ByteBuffer to) throws IOException {
    throw new IOException("a payload with a trailer does not say which");
  }

  /** Told of bytes as they are put into packets, on the event loop. */
  protected void onCopied(int bytes) {}

  /** The file is not read any more, and closed if it is to be. Once, on any thread. */
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
