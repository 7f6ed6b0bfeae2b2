package io.rtransport.core.connection;

import java.util.random.RandomGenerator;

/**
 * Where the numbers of one direction start; drawn at random so that a stranger cannot guess them, fixed only by tests that start near a
 * wrap.
 */
public record InitialNumbers(int requestPsn, int dataPsn, int rsn, int ssn) {
  /** Four numbers drawn from {@code random}. */
  public static InitialNumbers draw(RandomGenerator random) {
    return new InitialNumbers(
        random.nextInt(), random.nextInt(), random.nextInt(), random.nextInt());
  }
}
