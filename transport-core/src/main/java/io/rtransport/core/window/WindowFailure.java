package io.rtransport.core.window;

/**
 * Why the window sublayer cannot go on. The connection ends with the close reason of the same name.
 */
public enum WindowFailure {
  /** The ADP total was reached on all paths without progress. */
  RETRY_EXCEEDED,
  /** The peer acknowledged packets that were never sent, again and again. */
  PROTOCOL_ERROR
}
