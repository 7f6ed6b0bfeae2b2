package io.rtransport.core.parameter;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.parameter.ParameterSpec.Agreement;
import io.rtransport.core.parameter.ParameterSpec.Unit;
import io.rtransport.core.text.PrintedTable;
import io.rtransport.core.text.PrintedTable.Column;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * The tables of docs/reference/protocol.md and docs/reference/options.md have what {@link
 * ConnectionParameter} has, and its constants are whole.
 */
class ParameterTablesTest {
  @Test
  void shouldPrintTheParametersThatThePeerIsTold() throws Exception {
    List<Column<ConnectionParameter>> columns =
        List.of(
            new Column<>("name", ConnectionParameter::wireName),
            new Column<>("default", ParameterTablesTest::wireDefault),
            new Column<>("range", ParameterTablesTest::wireRange),
            new Column<>("what holds", p -> p.agreement().toString()),
            new Column<>("what it is", ConnectionParameter::sentence));
    PrintedTable.check(
        getClass(),
        "parameters",
        PrintedTable.of("id", ConnectionParameter.told(), p -> String.valueOf(p.id()), columns));
  }

  /** The connect timeout is an option of Netty's, with a default of its own. */
  @Test
  void shouldPrintTheOptions() throws Exception {
    List<ConnectionParameter> options =
        ConnectionParameter.configured().stream()
            .filter(p -> p != ConnectionParameter.CONNECT_TIMEOUT_MILLIS)
            .toList();
    List<Column<ConnectionParameter>> columns =
        List.of(
            new Column<>("default", ParameterTablesTest::optionDefault),
            new Column<>("range", ParameterTablesTest::optionRange),
            new Column<>("what holds", ParameterTablesTest::optionAgreement),
            new Column<>("what it is", ConnectionParameter::sentence));
    PrintedTable.check(
        getClass(),
        "reference/options.md",
        "options",
        PrintedTable.of("option", options, p -> "`" + p + "`", columns));
  }

  @Test
  void shouldHaveEveryIdOnceInOrderAndFindItByIt() {
    int id = 16;
    for (ConnectionParameter parameter : ConnectionParameter.told()) {
      assertThat(parameter.id()).isEqualTo(id++);
      assertThat(parameter.ordinal()).isEqualTo(parameter.id() - 16);
      assertThat(ConnectionParameter.ofId(parameter.id())).isSameAs(parameter);
      assertThat(parameter.wireLengthBytes()).isIn(1, 2, 4, 8);
    }
    assertThat(ConnectionParameter.ofId(15)).isNull();
    assertThat(ConnectionParameter.ofId(id)).isNull();
    assertThat(ConnectionParameter.ofId(-1)).isNull();
    assertThat(ConnectionParameter.ofId(65_535)).isNull();
  }

  @Test
  void shouldSayEachInOneSentenceAndBeginInsideItsRange() {
    Set<String> fields = new HashSet<>();
    for (ConnectionParameter parameter : ConnectionParameter.values()) {
      assertThat(parameter.sentence()).as("%s", parameter).endsWith(".").hasSizeLessThan(160);
      assertThat(parameter.sentence().indexOf(". ")).as("%s", parameter).isEqualTo(-1);
      if (parameter.otherwiseText() == null) {
        assertThat(parameter.isValid(parameter.otherwise())).as("%s", parameter).isTrue();
      }
      assertThat(parameter.field() == null || fields.add(parameter.field())).isTrue();
    }
  }

  @Test
  void shouldTakeBothLimitsOfEachRangeAndNothingBeyond() {
    for (ConnectionParameter parameter : ConnectionParameter.values()) {
      long least = parameter.toUnit(parameter.min());
      long most = parameter.toUnit(parameter.max());
      if (parameter.isAny()) {
        assertThat(parameter.isValidInUnit(Long.MIN_VALUE)).isTrue();
        assertThat(parameter.isValidInUnit(Long.MAX_VALUE)).isTrue();
        continue;
      }
      assertThat(parameter.isValidInUnit(least)).as("%s", parameter).isTrue();
      assertThat(parameter.isValidInUnit(most)).as("%s", parameter).isTrue();
      assertThat(parameter.isValidInUnit(least - 1)).as("%s", parameter).isFalse();
      assertThat(parameter.isValidInUnit(most + 1)).as("%s", parameter).isFalse();
      assertThat(parameter.isValid(parameter.min() - 1)).as("%s", parameter).isFalse();
      assertThat(parameter.isValid(parameter.max() + 1)).as("%s", parameter).isFalse();
      // As nanoseconds these are any number: multiples of 2^64 / 1,000,000 and below.
      for (long bits = 1; bits != 0; bits <<= 1) {
        boolean isInside = bits >= least && bits <= most;
        assertThat(parameter.isValidInUnit(bits)).as("%s %d", parameter, bits).isEqualTo(isInside);
      }
    }
  }

  private static String wireDefault(ConnectionParameter p) {
    if (p.isRequired()) {
      return "–";
    }
    return p.otherwiseText() != null ? p.otherwiseText() : number(p.toUnit(p.otherwise()));
  }

  private static String wireRange(ConnectionParameter p) {
    if (p.isAny()) {
      return p.isRequired() ? "any; must be present" : "any";
    }
    return range(p, "");
  }

  private static String range(ConnectionParameter p, String unit) {
    String range = number(p.toUnit(p.min())) + ".." + number(p.toUnit(p.max())) + unit;
    return p.isPowerOfTwo() ? range + ", a power of two" : range;
  }

  private static String optionDefault(ConnectionParameter p) {
    if (p.unsetText() != null) {
      return p.unsetText();
    }
    return p.unit() == Unit.FLAG ? String.valueOf(p.initial() != 0) : wireDefault(p);
  }

  private static String optionRange(ConnectionParameter p) {
    return p.unit() == Unit.FLAG ? "true, false" : range(p, " " + p.unit().symbol());
  }

  private static String optionAgreement(ConnectionParameter p) {
    return p.unit() == Unit.FLAG && p.agreement() == Agreement.LARGER
        ? "true where either side says so"
        : p.agreement().toString();
  }

  private static String number(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }
}
