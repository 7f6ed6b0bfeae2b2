package io.rtransport.core.parameter;

/**
 * Parameters of a connection after both sides have sent theirs.
 *
 * @param both parameters that are equal for both directions
 * @param tx limits of the peer for our sending. Its windows are the lesser of the peer's and our
 *     own
 * @param rx our limits for the peer's sending
 * @param txNumbers start of our numbers
 * @param rxNumbers start of the peer's numbers
 */
public record AgreedParameters(
    CommonParameters both,
    DirectionParameters tx,
    DirectionParameters rx,
    InitialNumbers txNumbers,
    InitialNumbers rxNumbers) {

  /** Returns {@link CommonParameters#isOrdered}, which many classes ask. */
  public boolean isOrdered() {
    return both.isOrdered();
  }

  /**
   * Returns equal parameters that share the equal parts of {@code other}. Thousands of connections
   * with the same agreement then keep one copy.
   */
  public AgreedParameters sharing(AgreedParameters other) {
    return new AgreedParameters(
        both.equals(other.both) ? other.both : both,
        tx.equals(other.tx) ? other.tx : tx,
        rx.equals(other.rx) ? other.rx : rx,
        txNumbers,
        rxNumbers);
  }
}
