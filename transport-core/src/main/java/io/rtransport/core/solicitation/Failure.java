package io.rtransport.core.solicitation;

/**
 * Whether the peer broke a rule of this sublayer, and which: the connection must end with
 * PROTOCOL_ERROR. The first breach counts.
 */
final class Failure {
  private String text;

  /**
   * Notes a breach.
   *
   * @param ofRule names the record, the field, its value and what would have been valid
   */
  void fail(String ofRule) {
    if (text == null) {
      text = ofRule;
    }
  }

  /** Returns which rule was broken; null: none. */
  String text() {
    return text;
  }
}
