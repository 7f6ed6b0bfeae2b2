package io.rtransport.netty;

import io.rtransport.core.connection.Connection;
import io.rtransport.core.wire.CloseCode;
import io.rtransport.netty.internal.loop.LoopDriver;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * What a channel has asked for towards the end of its connection, until the connection is told: a
 * FIN or a close behind everything that was flushed, or an abort at once. Confined to the event
 * loop.
 */
final class LinkClosing {
  private final PipelineLink link;
  private final LoopDriver driver;
  private final Connection connection;
  private final WriteQueue writes;
  private boolean isFinishing;
  private boolean isClosing;
  private boolean isAbort;
  private int code;
  private String text = "";

  LinkClosing(PipelineLink link, LoopDriver driver, Connection connection, WriteQueue writes) {
    this.link = link;
    this.driver = driver;
    this.connection = connection;
    this.writes = writes;
  }

  /** FIN, behind what was flushed. */
  void finish() {
    isFinishing = true;
    driver.due(link);
  }

  /** A close, behind what was flushed; {@code isReset}: an abort. */
  void close(int newCode, String newText, boolean isReset) {
    isClosing = true;
    isAbort = isReset;
    code = isReset && newCode == CloseCode.NORMAL.code() ? CloseCode.ABORTED.code() : newCode;
    text = newText;
    driver.due(link);
    if (writes.hasFlushed()) {
      long timeoutNs = connection.config().closeTimeoutNs();
      driver.loop().schedule(this::onCloseTimeout, timeoutNs, TimeUnit.NANOSECONDS);
    }
  }

  /** What had been flushed could not even be submitted. */
  private void onCloseTimeout() {
    if (isClosing && !connection.isEnded()) {
      isAbort = true;
      code = CloseCode.ABORTED.code();
      driver.due(link);
    }
  }

  void abort(CloseCode why, String newText) {
    isClosing = true;
    isAbort = true;
    code = why.code();
    text = newText;
    driver.due(link);
  }

  /**
   * Failures of what was written: a payload that could not be read, or a bare buffer that was
   * refused, ends the connection.
   */
  void judge(DrivenChannel channel) {
    IOException payloadFailure = writes.takePayloadFailure();
    if (payloadFailure != null) {
      abort(CloseCode.ABORTED, "a payload could not be read");
      link.tell(payloadFailure);
    }
    WriteCompletions ends = writes.completions();
    for (RtException f = ends.takeLateFailure(); f != null; f = ends.takeLateFailure()) {
      link.tell(f);
    }
    RtException plainFailure = ends.takePlainFailure();
    if (plainFailure != null && !connection.isEnded()) {
      channel.onPlainFailure(plainFailure, ends.isPlainFailureTold());
    }
  }

  /** Whether something waits for the last of what was flushed to be gone. */
  boolean isWaiting() {
    return isFinishing || isClosing;
  }

  /** After each turn's submissions: tells the connection of the FIN if nothing is before it. */
  void advanceFinish() {
    if (isFinishing && !writes.hasFlushed()) {
      isFinishing = false;
      connection.verbs().finish();
      link.drive();
    }
  }

  /** The same, of the close. */
  void advance() {
    if (!isClosing || connection.isEnded()) {
      return;
    }
    if (isAbort) {
      isClosing = false;
      connection.abort(code, text, driver.nowNs());
      link.drive();
    } else if (!writes.hasFlushed() || !connection.isEstablished()) {
      isClosing = false;
      connection.close(code, text, driver.nowNs());
      link.drive();
    }
  }
}
