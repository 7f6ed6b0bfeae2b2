package io.rtransport.core.solicitation;

/**
 * Receiver of failures: a part of this sublayer reports that the peer broke a rule, so the
 * connection ends.
 */
@FunctionalInterface
interface Failure {
  /**
   * @param text names the record, the field, its value and what would have been valid
   */
  void fail(String text);
}
