package io.rtransport.core.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class TransactionHeapTest {
  private final TransactionPool pool = new TransactionPool(7);
  private final TransactionHeap deadlines = new TransactionHeap(pool, Transaction.DEADLINE);

  @Test
  void shouldNameTheFirstWhateverIsSetMovedAndRemoved() {
    for (long seed = 1; seed <= 200; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      List<Transaction> all = new ArrayList<>();
      for (int step = 0; step < 300; step++) {
        int choice = random.nextInt(4);
        if (choice < 2 || all.isEmpty()) {
          Transaction t = pool.acquire();
          all.add(t);
          deadlines.set(t, random.nextInt(1_000));
        } else if (choice == 2) {
          deadlines.set(all.get(random.nextInt(all.size())), random.nextInt(1_000));
        } else {
          Transaction t = all.remove(random.nextInt(all.size()));
          deadlines.remove(t);
          deadlines.remove(t);
        }
        long least =
            all.stream().mapToLong(t -> t.deadlineNs()).min().orElse(Transaction.NO_DEADLINE);
        Transaction first = deadlines.first();
        assertThat(first == null ? Transaction.NO_DEADLINE : first.deadlineNs())
            .as("seed %d step %d", seed, step)
            .isEqualTo(least);
        assertThat(deadlines.size()).isEqualTo(all.size());
      }
      all.sort(Comparator.comparingLong(t -> t.deadlineNs()));
      for (Transaction expected : all) {
        assertThat(deadlines.first().deadlineNs()).isEqualTo(expected.deadlineNs());
        deadlines.remove(deadlines.first());
      }
      assertThat(deadlines.first()).isNull();
    }
  }
}
