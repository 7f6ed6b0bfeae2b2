package io.rtransport.loadgen.impair;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LinkModelTest {
  private static final int DATAGRAMS = 20_000;
  private static final Impairment ALL =
      new Impairment(0.1, 1_000_000, 500_000, 0.05, 0.03, 0.02, 0);

  private static List<String> fates(Impairment impairment, long seed) {
    LinkModel link = new LinkModel(impairment, seed);
    List<String> fates = new ArrayList<>();
    for (int i = 0; i < DATAGRAMS; i++) {
      int copies = link.onDatagram(1_000, i * 10_000L);
      fates.add(copies == 0 ? "-" : copies + "@" + link.dueNs() + "#" + link.corruptBit());
    }
    return fates;
  }

  @Test
  void shouldDoTheSameForTheSameSeed() {
    assertThat(fates(ALL, 1)).isEqualTo(fates(ALL, 1)).isNotEqualTo(fates(ALL, 2));
  }

  @Test
  void shouldImpairAboutAsManyAsAsked() {
    LinkModel link = new LinkModel(ALL, 3);
    for (int i = 0; i < DATAGRAMS; i++) {
      link.onDatagram(1_000, i * 10_000L);
    }
    LinkModel.Counts counts = link.counts();
    assertThat(counts.arrived()).isEqualTo(DATAGRAMS);
    // Six standard deviations.
    assertThat(counts.lost()).isBetween(1_745L, 2_255L);
    long left = DATAGRAMS - counts.lost();
    assertThat(counts.reordered()).isBetween(left / 20 - 180, left / 20 + 180);
    assertThat(counts.duplicated()).isBetween(left * 3 / 100 - 140, left * 3 / 100 + 140);
    assertThat(counts.corrupted()).isBetween(left / 50 - 120, left / 50 + 120);
    assertThat(counts.queueDropped()).isZero();
  }

  @Test
  void shouldKeepTheOrderUnderDelayAndJitter() {
    LinkModel link = new LinkModel(new Impairment(0, 1_000_000, 500_000, 0, 0, 0, 0), 4);
    long lastNs = 0;
    for (int i = 0; i < DATAGRAMS; i++) {
      long nowNs = i * 10_000L;
      assertThat(link.onDatagram(1_000, nowNs)).isEqualTo(1);
      assertThat(link.dueNs()).isGreaterThanOrEqualTo(lastNs);
      assertThat(link.dueNs() - nowNs).isGreaterThanOrEqualTo(1_000_000L);
      lastNs = link.dueNs();
    }
  }

  @Test
  void shouldSpaceDatagramsByTheBandwidthAndDropBehindAFullQueue() {
    // 1,000 bytes at 8 Mbit/s take a millisecond each.
    LinkModel link = new LinkModel(new Impairment(0, 0, 0, 0, 0, 0, 8_000_000), 5);
    for (int i = 1; i <= Impairment.QUEUE_DATAGRAMS; i++) {
      assertThat(link.onDatagram(1_000, 0)).isEqualTo(1);
      assertThat(link.dueNs()).isEqualTo(i * 1_000_000L);
    }
    assertThat(link.onDatagram(1_000, 0)).isZero();
    assertThat(link.counts().queueDropped()).isEqualTo(1);
    assertThat(link.onDatagram(1_000, 1_000_000L)).isEqualTo(1);
    assertThat(link.onDatagram(1_000, 1_000_000L)).isZero();
  }

  @Test
  void shouldFlipABitOfTheDatagram() {
    LinkModel link = new LinkModel(new Impairment(0, 0, 0, 0, 0, 1, 0), 6);
    for (int i = 0; i < 1_000; i++) {
      link.onDatagram(20, 0);
      assertThat(link.corruptBit()).isBetween(0L, 159L);
    }
  }

  @Test
  void shouldNotChangeWhichAreLostWhenSomethingElseIsAskedForToo() {
    List<Boolean> alone = new ArrayList<>();
    List<Boolean> together = new ArrayList<>();
    LinkModel first = new LinkModel(new Impairment(0.1, 0, 0, 0, 0, 0, 0), 8);
    LinkModel second = new LinkModel(ALL, 8);
    for (int i = 0; i < 1_000; i++) {
      alone.add(first.onDatagram(100, i) == 0);
      together.add(second.onDatagram(100, i) == 0);
    }
    assertThat(alone).isEqualTo(together).contains(true);
  }
}
