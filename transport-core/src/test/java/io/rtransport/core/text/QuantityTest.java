package io.rtransport.core.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QuantityTest {
  private static final long G = 1L << 30;

  @ParameterizedTest
  @CsvSource({
    "0,0",
    "1,1",
    "64k,65536",
    "64K,65536",
    "2m,2097152",
    "1g,1073741824",
    "1024m,1073741824"
  })
  void shouldReadSizes(String text, long bytes) {
    assertThat(Quantity.sizeBytes("--size", text, 0, G)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "-1",
        "k",
        "1kk",
        "1 k",
        "1.5k",
        "1e3",
        "0x10",
        "1073741825",
        "2g",
        "9223372036854775808",
        "99999999999999999999g",
        "1t",
        "\u0661",
        "1\n"
      })
  void shouldRefuseWhatIsNoSizeOrIsOutOfRange(String text) {
    assertThatThrownBy(() -> Quantity.sizeBytes("--size", text, 0, G))
        .isInstanceOf(InvalidValueException.class)
        .hasMessageStartingWith("--size=")
        .hasMessageContaining("0..1g")
        .hasMessageNotContaining("\n");
  }

  @Test
  void shouldHoldBothBoundsOfASizeValid() {
    assertThat(Quantity.sizeBytes("--mtu", "576", 576, 8192)).isEqualTo(576);
    assertThat(Quantity.sizeBytes("--mtu", "8k", 576, 8192)).isEqualTo(8192);
    assertThatThrownBy(() -> Quantity.sizeBytes("--mtu", "575", 576, 8192))
        .hasMessage(
            "--mtu=575 is not valid: a whole number of bytes with an optional k, m or g (1024), 576..8k");
    assertThatThrownBy(() -> Quantity.sizeBytes("--mtu", "8193", 576, 8192))
        .isInstanceOf(InvalidValueException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "0,0",
    "0ms,0",
    "50us,50000",
    "1.5ms,1500000",
    ".5s,500000000",
    "2s,2000000000",
    "1m,60000000000",
    "0.0004us,0",
    "1e3us,1000000"
  })
  void shouldReadDurations(String text, long ns) {
    assertThat(Quantity.durationNs("--delay", text, 0, 60_000_000_000L)).isEqualTo(ns);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "5", "ms", "-1s", "1h", "1 s", "1S", "1MS", "61s", "1.0001m", "1e99s", "s1"})
  void shouldRefuseWhatIsNoDurationOrIsOutOfRange(String text) {
    assertThatThrownBy(() -> Quantity.durationNs("--delay", text, 0, 60_000_000_000L))
        .isInstanceOf(InvalidValueException.class)
        .hasMessageContaining("us, ms, s or m, 0us..1m");
  }

  @ParameterizedTest
  @CsvSource({"1,1", "10k,10000", "2.5g,2500000000", "100M,100000000"})
  void shouldReadBandwidthsInDecimalBits(String text, long bits) {
    assertThat(Quantity.bandwidthBits("--bandwidth", text, 1, 100_000_000_000L)).isEqualTo(bits);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0", "1kb", "-5m", "101g", "1e11k"})
  void shouldRefuseWhatIsNoBandwidth(String text) {
    assertThatThrownBy(() -> Quantity.bandwidthBits("--bandwidth", text, 1, 100_000_000_000L))
        .isInstanceOf(InvalidValueException.class);
  }

  @ParameterizedTest
  @CsvSource({"0,0", "1,1", "1.0,1", "0.05,0.05", ".5,0.5", "1e-3,0.001"})
  void shouldReadProbabilities(String text, double p) {
    assertThat(Quantity.probability("--loss", text)).isEqualTo(p);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "-0.1", "1.0000001", "5%", "0.5k", "NaN", "Infinity", "1,5", "0x1p-1", "1e1"})
  void shouldRefuseWhatIsNoProbability(String text) {
    assertThatThrownBy(() -> Quantity.probability("--loss", text))
        .isInstanceOf(InvalidValueException.class)
        .hasMessageEndingWith("a fraction, 0..1");
  }

  @ParameterizedTest
  @CsvSource({
    "0,0",
    "-9223372036854775808,-9223372036854775808",
    "18446744073709551615,-1",
    "0xff,255",
    "0xFFFFFFFFFFFFFFFF,-1"
  })
  void shouldReadSeedsOf64Bits(String text, long seed) {
    assertThat(Quantity.seed("--seed", text)).isEqualTo(seed);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "-9223372036854775809",
        "18446744073709551616",
        "0x",
        "0x1ffffffffffffffff",
        "ff",
        "1.0"
      })
  void shouldRefuseWhatIsNoSeed(String text) {
    assertThatThrownBy(() -> Quantity.seed("--seed", text))
        .isInstanceOf(InvalidValueException.class);
  }

  @Test
  void shouldReadCountsBetweenTheirBounds() {
    assertThat(Quantity.count("--count", "1", 1, 5)).isEqualTo(1);
    assertThat(Quantity.count("--count", "5", 1, 5)).isEqualTo(5);
    assertThatThrownBy(() -> Quantity.count("--count", "0", 1, 5))
        .hasMessage("--count=0 is not valid: a whole number, 1..5");
    assertThatThrownBy(() -> Quantity.count("--count", "6", 1, 5))
        .isInstanceOf(InvalidValueException.class);
    assertThatThrownBy(() -> Quantity.count("--count", "1.0", 1, 5))
        .isInstanceOf(InvalidValueException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "0,0",
    "1023,1023",
    "1024,1k",
    "1536,1536",
    "10240,10k",
    "1048576,1m",
    "1099511627776,1024g"
  })
  void shouldWriteSizesAsPeopleDo(long bytes, String text) {
    assertThat(Quantity.size(bytes)).isEqualTo(text);
  }

  @Test
  void shouldNameAHostileValueInOneBoundedLine() {
    assertThatThrownBy(
            () -> Quantity.sizeBytes("--size", "x\n\u001b[31m" + "y".repeat(10_000), 0, 1))
        .satisfies(
            e -> assertThat(e.getMessage()).hasSizeLessThan(300).doesNotContain("\n", "\u001b"));
  }
}
