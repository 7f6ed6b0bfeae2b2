package io.rtransport.core.adp;

/** How far the timeout decreases at forward progress (ROCE_ACCL layout, dec_mode). */
public enum DecMode {
  /** Two exponents down. */
  DIV_4,
  /** One exponent down. */
  DIV_2,
  /** Down to the lowest exponent of the range at once. */
  LOW_BOUND;

  private static final DecMode[] VALUES = values();

  /** Returns the two bits of the register: 0, 1, 2. */
  public int code() {
    return ordinal();
  }

  /** Returns the mode for the two bits of the register, or null for 3, which is reserved. */
  public static DecMode ofCode(int code) {
    return code >= 0 && code < VALUES.length ? VALUES[code] : null;
  }

  /** Returns the decreased exponent, never below {@code lowBound}. */
  int decrease(int exponent, int lowBound) {
    int to =
        switch (this) {
          case DIV_4 -> exponent - 2;
          case DIV_2 -> exponent - 1;
          case LOW_BOUND -> lowBound;
        };
    return Math.max(lowBound, to);
  }
}
