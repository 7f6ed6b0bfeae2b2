package io.rtransport.demo.target;

import io.rtransport.demo.store.Upload;
import io.rtransport.demo.transfer.FileSink;
import java.io.IOException;
import java.util.function.Consumer;

/**
 * A push's bytes on their way to a temporary file of the store. If the message never becomes whole,
 * nor does the file.
 */
final class UploadSink extends FileSink {
  private final Upload upload;
  private final Consumer<UploadSink> onGone;

  /**
   * {@code onGone} hears of it if the message will never be whole, after the last write, on a
   * thread of the disk's.
   */
  UploadSink(Upload upload, Consumer<UploadSink> onGone) {
    super(upload.file(), bytes -> {});
    this.upload = upload;
    this.onGone = onGone;
  }

  Upload upload() {
    return upload;
  }

  /** Ends it if nobody else has: its connection is gone. */
  void giveUp() throws IOException {
    end(false);
  }

  @Override
  protected void onGivenUp() {
    onGone.accept(this);
  }
}
