package io.rtransport.demo.transfer;

import io.rtransport.demo.store.Checksum;
import io.rtransport.netty.RtFileSink;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.security.MessageDigest;
import java.util.function.LongConsumer;

/** A message on its way into a file, which stays open, and into its checksum: both behind the event loop. */
public class FileSink extends RtFileSink {
  private final LongConsumer onWritten;
  private final MessageDigest digest = Checksum.digest();

  /**
   * @param file written from 0
   * @param onWritten told of bytes once they are written, on one thread at a time
   */
  public FileSink(FileChannel file, LongConsumer onWritten) {
    super(file, 0);
    this.onWritten = onWritten;
  }

  @Override
  protected final void onWritten(ByteBuffer bytes) {
    int length = bytes.remaining();
    digest.update(bytes);
    onWritten.accept(length);
  }

  /** SHA-256 of all that was written. Once, when the message is whole. */
  public final byte[] sha256() {
    return digest.digest();
  }
}
