package io.rtransport.demo.transfer;

import io.rtransport.demo.protocol.RequestHeader;
import io.rtransport.demo.store.Checksum;
import io.rtransport.netty.RtFilePayload;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.security.MessageDigest;
import java.util.function.LongConsumer;

/**
 * A whole file and the SHA-256 of its read bytes as a message. It is read ahead, and closed once it
 * is read or not wanted any more.
 */
public final class FilePayload extends RtFilePayload {
  private final LongConsumer onCopied;
  private final Runnable onClosed;
  private final MessageDigest digest = Checksum.digest();
  private volatile byte[] sha256;

  /** Bytes of the file that are in no packet yet. */
  private long left;

  /**
   * Creates the payload.
   *
   * @param file taken over
   * @param lengthBytes of the file, which must keep at least as many
   * @param onCopied called with bytes as they are put into packets, on the event loop; without the
   *     checksum
   * @param onClosed called once, on any thread
   */
  public FilePayload(FileChannel file, long lengthBytes, LongConsumer onCopied, Runnable onClosed) {
    super(file, 0, lengthBytes, RequestHeader.SHA256_LENGTH, true);
    this.left = lengthBytes;
    this.onCopied = onCopied;
    this.onClosed = onClosed;
  }

  @Override
  protected void onCopied(int bytes) {
    long ofFile = Math.min(bytes, left);
    left -= ofFile;
    onCopied.accept(ofFile);
  }

  @Override
  protected void onRead(ByteBuffer bytes) {
    digest.update(bytes);
  }

  @Override
  protected void trailer(int offset, ByteBuffer to) {
    if (sha256 == null) {
      sha256 = digest.digest();
    }
    to.put(sha256, offset, Math.min(to.remaining(), sha256.length - offset));
  }

  /** Returns the SHA-256 of the read bytes; null until all were read. */
  public byte[] sha256() {
    return sha256;
  }

  @Override
  protected void onClosed() {
    onClosed.run();
  }
}
