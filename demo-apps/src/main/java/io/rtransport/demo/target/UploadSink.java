package io.rtransport.demo.target;

import io.rtransport.demo.store.Upload;
import io.rtransport.demo.transfer.FileSink;
import java.io.IOException;
import java.util.function.Consumer;

/** A push's bytes on their way to a temporary file of the store. If the message never becomes whole, nor does the file. */
final class UploadSink extends FileSink {
  private final Upload upload;
  private final Consumer<Upload> onGone;

  /** {@code onGone} hears of it, on the event loop, if the message will never be whole. */
  UploadSink(Upload upload, Consumer<Upload> onGone) {
    super(upload.file(), bytes -> {});
    this.upload = upload;
    this.onGone = onGone;
  }

  Upload upload() {
    return upload;
  }

  @Override
  protected void end(boolean whole) throws IOException {
    super.end(whole);
    if (!whole) {
      onGone.accept(upload);
    }
  }
}
