package io.rtransport.demo.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoreNameTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "a",
        "a.bin",
        ".hidden",
        "...",
        "..a",
        "a..",
        "-rf",
        "a b",
        "f\u00fcr",
        "\ud83d\ude00",
        "nul1",
        "annul",
        "com0",
        "com10",
        "a.nul",
        ".rt",
        ".rtx",
        "~",
        "$HOME",
        "*",
        "2026-11-21T05:13"
      })
  void shouldTakeNamesOfOneComponent(String text) {
    assertThat(StoreName.of(text)).isNotNull().hasToString(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ".",
        "..",
        "/",
        "/etc/passwd",
        "../x",
        "a/b",
        "a/../b",
        "./a",
        "a/",
        "..\\x",
        "C:\\x",
        "a\0b",
        "a\nb",
        "\u001b[2J",
        "\u007f",
        "\u0085",
        "a\u2028b",
        ".rt-incoming",
        ".rt-",
        ".RT-x",
        "NUL",
        "nul",
        "nul.txt",
        "CoM1",
        "com1.tar.gz",
        "lpt9 .x",
        "aux",
        "prn.",
        "con ",
        "conin$",
        "com\u00b9",
        "\ud800",
        "a\udc00"
      })
  void shouldRefuseEveryNameThatCouldLeadOutOrAstray(String text) {
    assertThat(StoreName.of(text)).isNull();
  }

  @Test
  void shouldCountTheLengthInBytesOfUtf8() {
    assertThat(StoreName.of("x".repeat(255))).isNotNull();
    assertThat(StoreName.of("x".repeat(256))).isNull();
    assertThat(StoreName.of("\u00fc".repeat(127) + "x")).isNotNull();
    assertThat(StoreName.of("\u00fc".repeat(128))).isNull();
  }
}
