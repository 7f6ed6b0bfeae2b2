package io.rtransport.demo.transfer;

import io.rtransport.demo.protocol.RequestHeader;
import io.rtransport.demo.store.Checksum;
import io.rtransport.netty.RtFileSink;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.security.MessageDigest;
import java.util.function.LongConsumer;

/**
 * Sink for a file and its SHA-256. The bytes go into a file, which stays open, and into a checksum
 * of our own, both outside the event loop.
 */
public class FileSink extends RtFileSink {
  private final LongConsumer onWritten;
  private final MessageDigest digest = Checksum.digest();
  private final ByteBuffer sent = ByteBuffer.allocate(RequestHeader.SHA256_LENGTH);

  /**
   * Creates the sink.
   *
   * @param file written from 0
   * @param onWritten called with bytes once they are written, on one thread at a time
   */
  public FileSink(FileChannel file, LongConsumer onWritten) {
    super(file, 0, RequestHeader.SHA256_LENGTH);
    this.onWritten = onWritten;
  }

  @Override
  protected final void onWritten(ByteBuffer bytes) {
    int length = bytes.remaining();
    digest.update(bytes);
    onWritten.accept(length);
  }

  @Override
  protected final void onTrailer(ByteBuffer bytes) {
    sent.put(bytes);
  }

  /** Returns the SHA-256 that the sender has computed. To be called when the message is whole. */
  public final byte[] sha256Sent() {
    return sent.array();
  }

  /** Returns the SHA-256 of all written bytes. To be called once, when the message is whole. */
  public final byte[] sha256() {
    return digest.digest();
  }
}
