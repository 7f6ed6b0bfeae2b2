package io.rtransport.demo.target;

import io.rtransport.demo.store.Upload;
import io.rtransport.demo.transfer.FileSink;
import java.io.IOException;
import java.util.function.Consumer;

/**
 * Sink for a push's bytes into a temporary file of the store. If the message never becomes whole,
 * the file does not either.
 */
final class UploadSink extends FileSink {
  private final Upload upload;
  private final Consumer<UploadSink> onGone;

  /**
   * Creates the sink. {@code onGone} is called if the message will never be whole, after the last
   * write, on a disk thread.
   */
  UploadSink(Upload upload, Consumer<UploadSink> onGone) {
    super(upload.file(), bytes -> {});
    this.upload = upload;
    this.onGone = onGone;
  }

  Upload upload() {
    return upload;
  }

  /** Ends it if it has not ended: its connection is gone. */
  void giveUp() throws IOException {
    end(false);
  }

  @Override
  protected void onGivenUp() {
    onGone.accept(this);
  }
}
