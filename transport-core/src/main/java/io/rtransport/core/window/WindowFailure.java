package io.rtransport.core.window;

/**
 * Reason why the window sublayer cannot continue. The connection ends with the close reason of the
 * same name.
 */
public enum WindowFailure {
  /** No path made progress for the ADP total. */
  RETRY_EXCEEDED,
  /** The peer acknowledged packets that were never sent, repeatedly. */
  PROTOCOL_ERROR
}
