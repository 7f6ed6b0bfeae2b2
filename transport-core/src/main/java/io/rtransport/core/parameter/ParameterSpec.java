package io.rtransport.core.parameter;

/** Declaration of a {@link ConnectionParameter}: its parts by name, not by position. */
public final class ParameterSpec {
  /** Rule for which of both sides' values applies. */
  public enum Agreement {
    /** Each side's value, for the other side's sending. */
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

  /** Unit of a value, on the wire and as an option. */
  public enum Unit {
    NUMBER("", 1),
    FLAG("", 1),
    PACKETS("packets", 1),
    BYTES("bytes", 1),
    TRANSACTIONS("transactions", 1),
    MICROSECONDS("µs", 1_000),
    MILLISECONDS("ms", 1_000_000);

    /** Factor from the unit to a value: ns for a time. */
    final long scale;

    private final String symbol;

    Unit(String symbol, long scale) {
      this.symbol = symbol;
      this.scale = scale;
    }

    /** Returns the text behind a number; empty for no unit. */
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

  /** Declares a parameter that the peer is told, by {@code id}, in {@code lengthBytes} bytes. */
  static ParameterSpec told(int id, String wireName, int lengthBytes, Agreement agreement) {
    return new ParameterSpec(id, wireName, lengthBytes, agreement);
  }

  /** Declares a parameter that the peer is not told. A configuration has it as {@code field}. */
  static ParameterSpec local(String field) {
    return new ParameterSpec(0, null, 0, Agreement.LOCAL).field(field);
  }

  /** Sets its name in a configuration. */
  ParameterSpec field(String name) {
    field = name;
    return this;
  }

  /** Sets the unit. Called before range and default, which use it. */
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

  /** Makes it a flag, true or false. */
  ParameterSpec flag(boolean isUsual) {
    unit = Unit.FLAG;
    return range(0, 1).otherwise(isUsual ? 1 : 0);
  }

  /** Accepts any number; {@code value} is the default. */
  ParameterSpec any(long value) {
    isAny = true;
    return otherwise(value);
  }

  /** Accepts any number; an offer without it is invalid. */
  ParameterSpec required() {
    isRequired = true;
    return any(0);
  }

  /** Sets the default, on the wire and in a configuration. */
  ParameterSpec otherwise(long value) {
    otherwise = value * unit.scale;
    return this;
  }

  /** Sets a default that is another parameter's value, in words. */
  ParameterSpec otherwiseAs(String words) {
    otherwiseText = words;
    return this;
  }

  /** Allows a configuration to leave it unset, as 0, which is then the initial value. */
  ParameterSpec unset(String words) {
    unsetText = words;
    return this;
  }

  /** Rounds up to whole units. */
  ParameterSpec roundedUp() {
    isRoundedUp = true;
    return this;
  }
}
