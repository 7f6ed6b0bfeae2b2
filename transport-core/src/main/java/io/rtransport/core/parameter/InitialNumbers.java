package io.rtransport.core.parameter;

import java.util.random.RandomGenerator;

/**
 * Where the numbers of one direction start; drawn at random so that a stranger cannot guess them,
 * fixed only by tests that start near a wrap.
 *
 * @param transmissionSequence of the first transmission on each path, 24 bits; the peer need not be
 *     told
 */
public record InitialNumbers(
    int requestPsn, int dataPsn, int rsn, int ssn, int transmissionSequence) {
  /** Numbers whose transmissions are counted from 0. */
  public InitialNumbers(int requestPsn, int dataPsn, int rsn, int ssn) {
    this(requestPsn, dataPsn, rsn, ssn, 0);
  }

  /** Four numbers drawn from {@code random}; transmissions are counted from 0. */
  public static InitialNumbers draw(RandomGenerator random) {
    return new InitialNumbers(
        random.nextInt(), random.nextInt(), random.nextInt(), random.nextInt());
  }
}
