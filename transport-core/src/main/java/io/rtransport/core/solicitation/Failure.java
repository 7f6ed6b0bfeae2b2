package io.rtransport.core.solicitation;

/** Where the parts of this sublayer say that the peer broke a rule for which a connection ends. */
@FunctionalInterface
interface Failure {
  /**
   * @param text names the record, the field, its value and what would have been valid
   */
  void fail(String text);
}
