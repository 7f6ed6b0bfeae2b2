package io.rtransport.core.parameter;

/** What a {@link ConnectionParameter} is declared with: its parts by name, not by position. */
public final class ParameterSpec {
  /** Which of both sides' values holds. */
  public enum Agreement {
    /** Each side's for what the other one sends. */
    OF_EACH("of each side"),
    /** The smaller, for both. */
    SMALLER("the smaller"),
    /** The larger, for both. */
    LARGER("the larger"),
    /** This side's; the peer is not told. */
    LOCAL("not told");

    private final String words;

    Agreement(String words) {
      this.words = words;
    }

    @Override
    public String toString() {
      return words;
    }
  }

  /** What a value counts, on the wire and as an option. */
  public enum Unit {
    NUMBER("", 1),
    FLAG("", 1),
    PACKETS("packets", 1),
    BYTES("bytes", 1),
    TRANSACTIONS("transactions", 1),
    MICROSECONDS("µs", 1_000),
    MILLISECONDS("ms", 1_000_000);

    /** How much of a value one of it is: ns of a time. */
    final long scale;

    private final String symbol;

    Unit(String symbol, long scale) {
      this.symbol = symbol;
      this.scale = scale;
    }

    /** How it is written behind a number; empty where there is nothing to write. */
    public String symbol() {
      return symbol;
    }
  }

  final int id;
  final String wireName;
  final int wireLengthBytes;
  final Agreement agreement;
  String field;
  Unit unit = Unit.NUMBER;
  long min;
  long max;
  boolean isPowerOfTwo;
  boolean isAny;
  boolean isRequired;
  boolean isRoundedUp;
  long otherwise;
  String otherwiseText;
  String unsetText;

  private ParameterSpec(int id, String wireName, int wireLengthBytes, Agreement agreement) {
    this.id = id;
    this.wireName = wireName;
    this.wireLengthBytes = wireLengthBytes;
    this.agreement = agreement;
  }

  /** The peer is told of it, by {@code id}, in {@code lengthBytes} bytes. */
  static ParameterSpec told(int id, String wireName, int lengthBytes, Agreement agreement) {
    return new ParameterSpec(id, wireName, lengthBytes, agreement);
  }

  /** The peer is not told of it; a configuration has it as {@code field}. */
  static ParameterSpec local(String field) {
    return new ParameterSpec(0, null, 0, Agreement.LOCAL).field(field);
  }

  /** A configuration has it under this name. */
  ParameterSpec field(String name) {
    field = name;
    return this;
  }

  /** Before its range and default, which are said in it. */
  ParameterSpec unit(Unit of) {
    unit = of;
    return this;
  }

  ParameterSpec range(long least, long most) {
    min = least * unit.scale;
    max = most * unit.scale;
    return this;
  }

  ParameterSpec powerOfTwo(long least, long most) {
    isPowerOfTwo = true;
    return range(least, most);
  }

  /** Yes or no. */
  ParameterSpec flag(boolean isUsual) {
    unit = Unit.FLAG;
    return range(0, 1).otherwise(isUsual ? 1 : 0);
  }

  /** Any number, {@code value} where it is not said. */
  ParameterSpec any(long value) {
    isAny = true;
    return otherwise(value);
  }

  /** Any number, without which there is no offer. */
  ParameterSpec required() {
    isRequired = true;
    return any(0);
  }

  /** The value where it is not said, on the wire or by a configuration. */
  ParameterSpec otherwise(long value) {
    otherwise = value * unit.scale;
    return this;
  }

  /** The same where it is another parameter's. */
  ParameterSpec otherwiseAs(String words) {
    otherwiseText = words;
    return this;
  }

  /** A configuration may leave it unset, as 0, and does at first. */
  ParameterSpec unset(String words) {
    unsetText = words;
    return this;
  }

  /** Said in whole units, never less than it is. */
  ParameterSpec roundedUp() {
    isRoundedUp = true;
    return this;
  }
}
