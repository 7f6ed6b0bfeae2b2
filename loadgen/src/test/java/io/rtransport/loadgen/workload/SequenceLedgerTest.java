package io.rtransport.loadgen.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.loadgen.workload.SequenceLedger.Arrival;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SequenceLedgerTest {
  private final SequenceLedger ledger = new SequenceLedger();

  @Test
  void shouldTakeNumbersInOrder() {
    for (long s = 0; s < 100_000; s++) {
      assertThat(ledger.onSequence(s)).isEqualTo(Arrival.IN_ORDER);
    }
    assertThat(ledger.baseSequence()).isEqualTo(100_000);
    assertThat(ledger.duplicates() + ledger.outOfOrder()).isZero();
  }

  @Test
  void shouldTellLateFromTwice() {
    assertThat(ledger.onSequence(0)).isEqualTo(Arrival.IN_ORDER);
    assertThat(ledger.onSequence(3)).isEqualTo(Arrival.IN_ORDER);
    assertThat(ledger.onSequence(1)).isEqualTo(Arrival.OUT_OF_ORDER);
    assertThat(ledger.onSequence(1)).isEqualTo(Arrival.DUPLICATE);
    assertThat(ledger.onSequence(3)).isEqualTo(Arrival.DUPLICATE);
    assertThat(ledger.onSequence(0)).isEqualTo(Arrival.DUPLICATE);
    assertThat(ledger.baseSequence()).isEqualTo(2);
    assertThat(ledger.onSequence(2)).isEqualTo(Arrival.OUT_OF_ORDER);
    assertThat(ledger.baseSequence()).isEqualTo(4);
  }

  @Test
  void shouldAgreeWithASetWhenShuffledAndRepeated() {
    Random random = new Random(7);
    List<Long> numbers = new ArrayList<>();
    for (long s = 0; s < 20_000; s++) {
      numbers.add(s);
      if (random.nextInt(10) == 0) {
        numbers.add(s);
      }
    }
    for (int from = 0; from < numbers.size(); from += 3_000) {
      Collections.shuffle(numbers.subList(from, Math.min(numbers.size(), from + 3_000)), random);
    }
    Set<Long> seen = new HashSet<>();
    for (long s : numbers) {
      boolean isNew = seen.add(s);
      assertThat(ledger.onSequence(s) != Arrival.DUPLICATE).isEqualTo(isNew);
    }
    assertThat(ledger.duplicates()).isEqualTo(numbers.size() - 20_000);
    assertThat(ledger.baseSequence()).isEqualTo(20_000);
  }

  @Test
  void shouldGiveUpWhatIsMissingBeyondItsReach() {
    ledger.onSequence(0);
    long far = 1L << 40;
    assertThat(ledger.onSequence(far)).isEqualTo(Arrival.IN_ORDER);
    assertThat(ledger.onSequence(far - 1)).isEqualTo(Arrival.OUT_OF_ORDER);
    assertThat(ledger.onSequence(far)).isEqualTo(Arrival.DUPLICATE);
    assertThat(ledger.onSequence(1)).isEqualTo(Arrival.DUPLICATE);
    assertThat(ledger.baseSequence()).isGreaterThan(1);
  }
}
