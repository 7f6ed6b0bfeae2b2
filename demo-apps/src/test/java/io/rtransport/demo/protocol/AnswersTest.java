package io.rtransport.demo.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AnswersTest {
  @Test
  void shouldReadBackAStatWithAndWithoutAChecksum() {
    byte[] sha256 = new byte[32];
    sha256[31] = 9;
    FileStat with = FileStat.decode(new FileStat(1L << 40, sha256).encode());
    assertThat(with.sizeBytes()).isEqualTo(1L << 40);
    assertThat(with.sha256()).isEqualTo(sha256);
    FileStat without = FileStat.decode(new FileStat(0, null).encode());
    assertThat(without.sizeBytes()).isZero();
    assertThat(without.sha256()).isNull();
  }

  @Test
  void shouldRefuseAStatOfAnyOtherLengthOrANegativeSize() {
    for (int length = 0; length < 100; length++) {
      assertThat(FileStat.decode(new byte[length]) != null).isEqualTo(length == 8 || length == 40);
    }
    byte[] negative = new byte[8];
    negative[0] = (byte) 0x80;
    assertThat(FileStat.decode(negative)).isNull();
  }

  @Test
  void shouldCutAListingAtAPageAndGoOnAfterItsLastName() {
    List<Listing.Entry> all = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      all.add(new Listing.Entry(String.format("%04d", i) + "x".repeat(200), i, i));
    }
    List<Listing.Entry> got = new ArrayList<>();
    String after = "";
    int pages = 0;
    for (; ; pages++) {
      byte[] page = Listing.encode(all.subList(got.size(), all.size()));
      assertThat(page.length).isLessThanOrEqualTo(Listing.PAGE_LENGTH_MAX);
      List<Listing.Entry> entries = Listing.decode(page, after);
      if (entries.isEmpty()) {
        break;
      }
      got.addAll(entries);
      after = got.get(got.size() - 1).name();
    }
    assertThat(got).isEqualTo(all);
    assertThat(pages).isGreaterThan(5);
  }

  @Test
  void shouldRefuseAListingThatIsCutOrDoesNotGoOn() {
    byte[] page =
        Listing.encode(List.of(new Listing.Entry("a", 1, 2), new Listing.Entry("b", 3, 4)));
    for (int length = 1; length < page.length; length++) {
      byte[] cut = java.util.Arrays.copyOf(page, length);
      assertThat(Listing.decode(cut, "") != null).as("cut at %d", length).isEqualTo(length == 19);
    }
    assertThat(Listing.decode(page, "")).hasSize(2);
    assertThat(Listing.decode(page, "a")).as("a page that would loop for ever").isNull();
  }

  @Test
  void shouldFindAnErrorCodeByItsNumberOnly() {
    for (ErrorCode code : ErrorCode.values()) {
      assertThat(ErrorCode.ofCode(code.code())).isSameAs(code);
    }
    assertThat(ErrorCode.ofCode(0)).isNull();
    assertThat(ErrorCode.ofCode(ErrorCode.values().length + 1)).isNull();
    assertThat(ErrorCode.ofCode(-1)).isNull();
  }
}
