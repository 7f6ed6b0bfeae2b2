package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class NodeBudgetTest {
  private static final long MIB = 1 << 20;

  private final NodeBudget budget = new NodeBudget(64 * MIB);
  private final List<String> told = new ArrayList<>();

  private BudgetAccount account(String name) {
    return new BudgetAccount(budget, () -> told.add(name));
  }

  @Test
  void shouldGiveASingleConnectionAllAndNotOneByteMore() {
    BudgetAccount only = account("only");
    assertThat(only.reserve(1, 64 * MIB, false)).isEqualTo(64 * MIB);
    assertThat(only.reserve(1, 1, false)).isZero();
    only.release(64 * MIB, false);
    assertThat(budget.countedBytes()).isZero();
  }

  @Test
  void shouldGiveOneOfSeveralNoMoreThanHalf() {
    BudgetAccount other = account("other");
    other.reserve(1, MIB, false);
    BudgetAccount one = account("one");
    assertThat(one.reserve(1, 64 * MIB, false)).isEqualTo(32 * MIB);
    assertThat(one.reserve(1, 1, false)).isZero();
    other.release(MIB, false);
    assertThat(one.reserve(1, 64 * MIB, false)).as("alone again").isEqualTo(32 * MIB);
  }

  @Test
  void shouldReserveTheLeastOrNothing() {
    BudgetAccount one = account("one");
    one.reserve(1, 60 * MIB, false);
    assertThat(one.reserve(5 * MIB, 8 * MIB, false)).isZero();
    assertThat(one.reserve(4 * MIB, 8 * MIB, false)).isEqualTo(4 * MIB);
  }

  @Test
  void shouldLetPullsHoldHalfAndNotOneByteMore() {
    BudgetAccount one = account("one");
    assertThat(one.reserve(1, 40 * MIB, true)).isEqualTo(32 * MIB);
    assertThat(account("two").reserve(1, 1, true)).isZero();
    assertThat(account("three").reserve(1, 64 * MIB, false))
        .as("pushes may have the rest")
        .isEqualTo(32 * MIB);
    one.release(32 * MIB, true);
    assertThat(budget.pullBytes()).isZero();
    assertThat(told).containsExactly("two");
  }

  @Test
  void shouldTellThoseWhoWaitOneAfterTheOtherAndLetNobodyPass() {
    BudgetAccount a = account("a");
    BudgetAccount b = account("b");
    BudgetAccount c = account("c");
    BudgetAccount d = account("d");
    a.reserve(1, 32 * MIB, false);
    b.reserve(1, 32 * MIB, false);
    assertThat(c.reserve(MIB, MIB, false)).isZero();
    assertThat(d.reserve(MIB, MIB, false)).isZero();
    a.release(MIB / 2, false);
    assertThat(told).as("half of what the first needs is not enough").isEmpty();
    b.release(MIB / 2, false);
    assertThat(told).containsExactly("c");
    assertThat(c.reserve(MIB, MIB, false)).isEqualTo(MIB);
    assertThat(a.reserve(1, 1, false)).as("one who held has to queue behind").isZero();
    assertThat(told).containsExactly("c");
    b.release(MIB, false);
    assertThat(told).containsExactly("c", "d");
    assertThat(d.reserve(MIB, MIB, false)).isEqualTo(MIB);
    b.release(MIB, false);
    assertThat(told).containsExactly("c", "d", "a");
  }

  @Test
  void shouldKeepItsPlaceWhenToldInVain() {
    BudgetAccount a = account("a");
    BudgetAccount b = account("b");
    BudgetAccount c = account("c");
    a.reserve(1, 64 * MIB, false);
    b.reserve(MIB, MIB, false);
    c.reserve(MIB, MIB, false);
    a.release(2 * MIB, false);
    assertThat(told).containsExactly("b");
    // Before b comes, c hears of the rest, and takes more than that.
    budget.tellNext();
    assertThat(c.reserve(2 * MIB, 2 * MIB, false)).isEqualTo(2 * MIB);
    assertThat(b.reserve(MIB, MIB, false)).isZero();
    told.clear();
    a.reserve(1, 1, false);
    a.release(MIB, false);
    assertThat(told).containsExactly("b");
  }

  @Test
  void shouldPassTheTurnOnWhileThereIsRoomLeft() {
    BudgetAccount a = account("a");
    BudgetAccount b = account("b");
    BudgetAccount c = account("c");
    a.reserve(1, 64 * MIB, false);
    b.reserve(MIB, MIB, false);
    c.reserve(MIB, MIB, false);
    a.release(2 * MIB, false);
    assertThat(told).containsExactly("b");
    b.reserve(MIB, MIB, false);
    assertThat(told).containsExactly("b", "c");
  }

  @Test
  void shouldGoOnToTheNextWhenOneWhoWaitedWantsNoMore() {
    BudgetAccount a = account("a");
    a.reserve(1, 64 * MIB, false);
    BudgetAccount b = account("b");
    BudgetAccount c = account("c");
    b.reserve(2 * MIB, 2 * MIB, false);
    c.reserve(MIB, MIB, false);
    a.release(MIB, false);
    assertThat(told).isEmpty();
    b.renounce(false);
    assertThat(told).containsExactly("c");
  }

  @Test
  void shouldGiveAwayAnEighthAtTheMostAndNeverPassNineEighths() {
    BudgetAccount slow = account("slow");
    slow.reserve(1, 64 * MIB, false);
    assertThat(slow.giveAway(64 * MIB)).isEqualTo(8 * MIB);
    assertThat(slow.giveAway(1)).isZero();
    assertThat(budget.countedBytes()).isEqualTo(56 * MIB);
    BudgetAccount fast = account("fast");
    assertThat(fast.reserve(1, 64 * MIB, false)).isEqualTo(8 * MIB);
    slow.onArrived(5 * MIB);
    assertThat(budget.countedBytes()).isEqualTo(67 * MIB);
    slow.onArrived(0);
    assertThat(budget.countedBytes()).as("nine eighths").isEqualTo(72 * MIB);
    assertThat(budget.givenAwayBytes()).isZero();
    assertThat(fast.reserve(1, 1, false)).isZero();
    slow.release(64 * MIB, false);
    fast.release(8 * MIB, false);
    assertThat(budget.countedBytes()).isZero();
  }

  @Test
  void shouldForgetWhatWasGivenAwayAndWillNeverCome() {
    BudgetAccount slow = account("slow");
    slow.reserve(1, 4 * MIB, false);
    slow.giveAway(3 * MIB);
    slow.cancel(4 * MIB, 0);
    assertThat(budget.countedBytes()).isZero();
    assertThat(budget.givenAwayBytes()).isZero();
    slow.close();
  }

  @Test
  void shouldBarAboveAnEighthStaleHereOrAboveHalfInAll() {
    BudgetAccount one = account("one");
    one.stale(8 * MIB);
    assertThat(one.isBarred()).isFalse();
    one.stale(8 * MIB + 1);
    assertThat(one.isBarred()).isTrue();
    one.stale(MIB);
    BudgetAccount[] others = new BudgetAccount[4];
    for (int i = 0; i < others.length; i++) {
      others[i] = account("other");
      others[i].stale(8 * MIB - MIB / 4);
    }
    assertThat(one.isBarred()).as("32 MiB is half").isFalse();
    one.stale(MIB + 1);
    assertThat(one.isBarred()).isTrue();
    assertThat(account("clean").isBarred()).as("who has nothing stale is not barred").isFalse();
  }

  @Test
  void shouldTellThoseWhoWaitWhenItIsRaised() {
    BudgetAccount a = account("a");
    a.reserve(1, 64 * MIB, false);
    BudgetAccount b = account("b");
    assertThat(b.reserve(2 * MIB, 2 * MIB, false)).isZero();
    budget.raise(65 * MIB);
    assertThat(told).as("half of what it needs").isEmpty();
    budget.raise(66 * MIB);
    assertThat(told).containsExactly("b");
    assertThat(b.reserve(2 * MIB, 2 * MIB, false)).isEqualTo(2 * MIB);
    budget.raise(1);
    assertThat(budget.capacityBytes()).as("never lowered").isEqualTo(66 * MIB);
  }

  @Test
  void shouldRefuseACapacityThatHoldsNoGrant() {
    assertThatThrownBy(() -> new NodeBudget(524_287))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("capacityBytes=524287");
    assertThat(new NodeBudget(524_288).countedBytes()).isZero();
  }

  @Test
  void shouldKeepItsSumWhenSeveralLoopsShareIt() throws InterruptedException {
    int loops = 4;
    CountDownLatch done = new CountDownLatch(loops);
    List<Throwable> failures = new ArrayList<>();
    for (int loop = 0; loop < loops; loop++) {
      Thread thread =
          new Thread(
              () -> {
                try {
                  churn();
                } catch (Throwable failure) {
                  synchronized (failures) {
                    failures.add(failure);
                  }
                } finally {
                  done.countDown();
                }
              });
      thread.start();
    }
    done.await();
    assertThat(failures).isEmpty();
    assertThat(budget.countedBytes()).isZero();
    assertThat(budget.pullBytes()).isZero();
    assertThat(budget.hasWaiting(false)).isFalse();
    assertThat(budget.hasWaiting(true)).isFalse();
  }

  private void churn() {
    BudgetAccount account = new BudgetAccount(budget, () -> {});
    for (int i = 0; i < 20_000; i++) {
      boolean isPull = (i & 1) == 0;
      long bytes = account.reserve(MIB, 30 * MIB, isPull);
      assertThat(budget.countedBytes()).isLessThanOrEqualTo(72 * MIB);
      if (bytes > 0) {
        account.release(bytes, isPull);
      } else {
        account.renounce(isPull);
      }
    }
    account.close();
  }
}
