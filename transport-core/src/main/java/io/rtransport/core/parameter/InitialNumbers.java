package io.rtransport.core.parameter;

import java.util.random.RandomGenerator;

/**
 * Start of the numbers of one direction. They are drawn at random so that a stranger cannot guess
 * them. Only tests that start near a wrap fix them.
 *
 * @param transmissionSequence of the first transmission on each path, 24 bits; the peer need not be
 *     told
 */
public record InitialNumbers(
    int requestPsn, int dataPsn, int rsn, int ssn, int transmissionSequence) {
  /** Creates numbers whose transmissions are counted from 0. */
  public InitialNumbers(int requestPsn, int dataPsn, int rsn, int ssn) {
    this(requestPsn, dataPsn, rsn, ssn, 0);
  }

  /** Draws four numbers from {@code random}; transmissions are counted from 0. */
  public static InitialNumbers draw(RandomGenerator random) {
    return new InitialNumbers(
        random.nextInt(), random.nextInt(), random.nextInt(), random.nextInt());
  }
}
