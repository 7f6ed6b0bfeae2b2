package io.rtransport.demo.transfer;

import io.rtransport.netty.RtFilePayload;
import java.nio.channels.FileChannel;
import java.util.function.LongConsumer;

/** A whole file as a message: read ahead, and closed once it is read or not wanted any more. */
public final class FilePayload extends RtFilePayload {
  private final LongConsumer onCopied;
  private final Runnable onClosed;

  /**
   * @param file taken over
   * @param lengthBytes of the message; the file must keep at least as many
   * @param onCopied told of bytes as they are put into packets, on the event loop
   * @param onClosed told once, on any thread
   */
  public FilePayload(FileChannel file, long lengthBytes, LongConsumer onCopied, Runnable onClosed) {
    super(file, 0, lengthBytes, true);
    this.onCopied = onCopied;
    this.onClosed = onClosed;
  }

  @Override
  protected void onCopied(int bytes) {
    onCopied.accept(bytes);
  }

  @Override
  protected void onClosed() {
    onClosed.run();
  }
}
