package io.rtransport.core.parameter;

/**
 * What holds for a connection once both sides have spoken.
 *
 * @param both what is the same for both directions
 * @param tx what the peer lets us send. Its windows are the lesser of the peer's and our own
 * @param rx what we let the peer send
 * @param txNumbers where our numbers start
 * @param rxNumbers where the peer's start
 */
public record AgreedParameters(
    CommonParameters both,
    DirectionParameters tx,
    DirectionParameters rx,
    InitialNumbers txNumbers,
    InitialNumbers rxNumbers) {

  /** {@link CommonParameters#isOrdered}, which everybody asks. */
  public boolean isOrdered() {
    return both.isOrdered();
  }

  /**
   * The same, made of the parts of {@code other} that are equal to these: thousands of connections
   * that agreed alike keep one copy.
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
