package io.rtransport.core.rail;

import io.rtransport.core.text.PrintedTable;
import io.rtransport.core.text.PrintedTable.Column;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The tables of docs/reference/health.md have what the code has. */
class HealthTablesTest {
  private static final String PAGE = "reference/health.md";

  @Test
  void shouldPrintTheErrors() throws IOException {
    List<Column<NiError>> columns =
        List.of(
            new Column<>("our interface", error -> cell(error.onLocal())),
            new Column<>("the peer's", error -> cell(error.onPeer())));
    PrintedTable.check(
        getClass(),
        PAGE,
        "errors",
        PrintedTable.of("error", List.of(NiError.values()), Enum::name, columns));
  }

  private static String cell(NiError.Effect effect) {
    return effect == NiError.Effect.NONE ? "" : effect.name();
  }

  @Test
  void shouldPrintTheKnobs() throws IOException {
    List<Column<HealthParameter>> columns =
        List.of(
            new Column<>("default", p -> withUnit(p, p.usual())),
            new Column<>("by the letter", p -> withUnit(p, p.letter())),
            new Column<>("range", p -> p.min() + " to " + withUnit(p, p.max())),
            new Column<>("what it is", HealthParameter::sentence));
    PrintedTable.check(
        getClass(),
        PAGE,
        "knobs",
        PrintedTable.of(
            "knob", List.of(HealthParameter.values()), p -> "`" + p.text() + "`", columns));
  }

  private static String withUnit(HealthParameter parameter, long value) {
    return parameter.unit().isEmpty() ? "" + value : value + " " + parameter.unit();
  }
}
