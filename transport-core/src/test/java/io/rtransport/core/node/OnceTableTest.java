package io.rtransport.core.node;

import static io.rtransport.core.node.OnceTable.IDS_MAX;
import static io.rtransport.core.node.OnceTable.ORIGINS_MAX;
import static io.rtransport.core.node.OnceTable.ORIGINS_OF_PEER_MAX;
import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.node.OnceTable.Verdict;
import org.junit.jupiter.api.Test;

class OnceTableTest {
  private static final long ORIGIN = 7;
  private static final long PEER = 70;

  private final OnceTable<String> table = new OnceTable<>(5);

  private void hello(long origin, long firstNew, long peer) {
    assertThat(table.hello(origin, firstNew, peer, table.mark())).isTrue();
  }

  private Verdict offer(long id, long endedBelow) {
    return table.offer(ORIGIN, id, endedBelow);
  }

  private void execute(long origin, long id) {
    assertThat(table.offer(origin, id, 1)).isEqualTo(Verdict.EXECUTE);
    table.begin(origin, id, "execution " + id);
  }

  @Test
  void shouldExecuteOnceThenJoinThenGiveTheResult() {
    hello(ORIGIN, 1, PEER);
    execute(ORIGIN, 1);
    assertThat(offer(1, 1)).isEqualTo(Verdict.JOIN);
    assertThat(table.execution(ORIGIN, 1)).isEqualTo("execution 1");
    table.end(ORIGIN, 1, 55);
    assertThat(offer(1, 1)).isEqualTo(Verdict.ENDED);
    assertThat(table.result(ORIGIN, 1)).isEqualTo(55);
    assertThat(table.execution(ORIGIN, 1)).isNull();
  }

  @Test
  void shouldNotExecuteForAnOriginThatHasNotSaidHello() {
    assertThat(offer(1, 1)).isEqualTo(Verdict.UNKNOWN);
  }

  @Test
  void shouldNotExecuteWhatWasSentBeforeTheHello() {
    hello(ORIGIN, 10, PEER);
    assertThat(offer(9, 1)).isEqualTo(Verdict.UNKNOWN);
    assertThat(offer(10, 1)).isEqualTo(Verdict.EXECUTE);
  }

  @Test
  void shouldKeepAKnownOriginAtAnotherHello() {
    hello(ORIGIN, 1, PEER);
    execute(ORIGIN, 1);
    table.end(ORIGIN, 1, 5);
    hello(ORIGIN, 2, PEER);
    assertThat(offer(1, 1)).isEqualTo(Verdict.ENDED);
  }

  @Test
  void shouldForgetWhatTheOriginSaysHasEnded() {
    hello(ORIGIN, 1, PEER);
    for (int id = 1; id <= 3; id++) {
      execute(ORIGIN, id);
    }
    table.end(ORIGIN, 1, 1);
    table.end(ORIGIN, 2, 2);
    assertThat(table.idCount()).isEqualTo(3);
    assertThat(offer(4, 3)).isEqualTo(Verdict.EXECUTE);
    assertThat(table.idCount()).as("3 still executes").isEqualTo(1);
    assertThat(offer(1, 3)).isEqualTo(Verdict.UNKNOWN);
    assertThat(offer(3, 3)).isEqualTo(Verdict.JOIN);
  }

  @Test
  void shouldJoinWhatStillExecutesThoughTheOriginGaveItUp() {
    hello(ORIGIN, 1, PEER);
    execute(ORIGIN, 1);
    assertThat(offer(2, 2)).isEqualTo(Verdict.EXECUTE);
    assertThat(offer(1, 2)).isEqualTo(Verdict.JOIN);
    table.end(ORIGIN, 1, 9);
    assertThat(offer(1, 2)).as("its end is not kept").isEqualTo(Verdict.UNKNOWN);
  }

  @Test
  void shouldTakeIdsUpToTheirBound() {
    hello(ORIGIN, 5, PEER);
    assertThat(offer(5 + IDS_MAX, 1)).isEqualTo(Verdict.UNKNOWN);
    assertThat(offer(5 + IDS_MAX - 1, 1)).isEqualTo(Verdict.EXECUTE);
    assertThat(offer(Long.MAX_VALUE, 1)).isEqualTo(Verdict.UNKNOWN);
    assertThat(offer(5 + IDS_MAX, 6)).as("one has ended").isEqualTo(Verdict.EXECUTE);
  }

  @Test
  void shouldNotLetALieAboutEndedIdsWrap() {
    hello(ORIGIN, 1, PEER);
    assertThat(offer(Long.MAX_VALUE, Long.MAX_VALUE)).isEqualTo(Verdict.EXECUTE);
    assertThat(offer(1, 1)).as("its own harm").isEqualTo(Verdict.UNKNOWN);
  }

  @Test
  void shouldForgetTheOriginUsedLeastLately() {
    for (long origin = 1; origin <= ORIGINS_MAX; origin++) {
      hello(origin, 1, origin);
    }
    execute(1, 1);
    table.end(1, 1, 5);
    hello(ORIGINS_MAX + 1, 1, PEER);
    assertThat(table.originCount()).isEqualTo(ORIGINS_MAX);
    assertThat(table.offer(1, 1, 1)).as("used of late").isEqualTo(Verdict.ENDED);
    assertThat(table.offer(2, 1, 1)).as("forgotten").isEqualTo(Verdict.UNKNOWN);
  }

  @Test
  void shouldForgetAnOriginThatExecutesOnlyIfAllDo() {
    for (long origin = 1; origin <= ORIGINS_MAX; origin++) {
      hello(origin, 1, origin);
      execute(origin, 1);
    }
    table.end(3, 1, 0);
    hello(ORIGINS_MAX + 1, 1, PEER);
    assertThat(table.offer(3, 1, 1)).as("it executed nothing").isEqualTo(Verdict.UNKNOWN);
    execute(ORIGINS_MAX + 1, 1);
    hello(ORIGINS_MAX + 2, 1, PEER);
    assertThat(table.originCount()).isEqualTo(ORIGINS_MAX);
    assertThat(table.offer(1, 1, 1)).as("the oldest").isEqualTo(Verdict.UNKNOWN);
    table.end(1, 1, 0); // its end comes, and finds nobody
    hello(1, 2, 1);
    assertThat(table.offer(1, 1, 1)).as("never executed again").isEqualTo(Verdict.UNKNOWN);
    assertThat(table.offer(1, 2, 1)).isEqualTo(Verdict.EXECUTE);
  }

  @Test
  void shouldBoundTheOriginsOfAPeer() {
    for (long origin = 1; origin <= ORIGINS_OF_PEER_MAX; origin++) {
      hello(origin, 1, PEER);
      execute(origin, 1);
    }
    hello(1_000, 1, PEER + 1);
    assertThat(table.originCount()).as("of another peer").isEqualTo(ORIGINS_OF_PEER_MAX + 1);
    hello(1_001, 1, PEER);
    assertThat(table.originCount()).isEqualTo(ORIGINS_OF_PEER_MAX + 1);
    assertThat(table.offer(1, 1, 1)).as("in the place of its own").isEqualTo(Verdict.UNKNOWN);
    assertThat(table.offer(1_000, 1, 1)).isEqualTo(Verdict.EXECUTE);
  }

  @Test
  void shouldBoundWhatAnOriginHasExecutingBelowWhatHasEnded() {
    hello(ORIGIN, 1, PEER);
    for (long id = 1; id <= IDS_MAX; id++) {
      assertThat(offer(id, id)).isEqualTo(Verdict.EXECUTE);
      table.begin(ORIGIN, id, "stuck");
    }
    assertThat(offer(IDS_MAX + 1, IDS_MAX + 1)).isEqualTo(Verdict.UNKNOWN);
    table.end(ORIGIN, 5, 0);
    assertThat(offer(IDS_MAX + 1, IDS_MAX + 1)).isEqualTo(Verdict.EXECUTE);
    assertThat(table.idCount()).isEqualTo(IDS_MAX - 1);
  }

  @Test
  void shouldRefuseAHelloThatWasSaidBeforeItsOriginWasForgotten() {
    long saidAt = table.mark();
    hello(ORIGIN, 1, PEER);
    execute(ORIGIN, 1);
    table.end(ORIGIN, 1, 0);
    assertThat(table.hello(ORIGIN, 1, PEER, saidAt)).as("known").isTrue();
    for (long other = 100; other < 100 + ORIGINS_OF_PEER_MAX; other++) {
      hello(other, 1, PEER);
    }
    assertThat(table.isKnown(ORIGIN)).isFalse();
    long since = table.mark();
    assertThat(table.hello(ORIGIN, 1, PEER, saidAt)).isFalse();
    assertThat(table.hello(ORIGIN, 1, PEER, since - 1)).isFalse();
    assertThat(table.isKnown(ORIGIN)).isFalse();
    assertThat(table.mark()).as("nobody was forgotten for it").isEqualTo(since);
    assertThat(table.hello(ORIGIN, 2, PEER, since)).isTrue();
    assertThat(offer(1, 1)).isEqualTo(Verdict.UNKNOWN);
    assertThat(offer(2, 1)).isEqualTo(Verdict.EXECUTE);
  }

  /** Whoever makes a node forget others may so have few honest origins say HELLO again. */
  @Test
  void shouldRefuseFewHellosOfOthersThatWereOvertakenByAThousand() {
    long saidAt = table.mark();
    for (long other = 1; other <= ORIGINS_OF_PEER_MAX + 1_024; other++) {
      hello(other, 1, PEER);
    }
    assertThat(table.mark()).isEqualTo(saidAt + 1_024);
    int refused = 0;
    for (long honest = 1L << 40; honest < (1L << 40) + 1_000; honest++) {
      refused += table.hello(honest, 1, PEER + 1, saidAt) ? 0 : 1;
    }
    assertThat(refused).isBetween(1, 60);
  }

  @Test
  void shouldTakeNoMarkThatItHasNotSaid() {
    assertThat(table.hello(ORIGIN, 1, PEER, table.mark() + 1)).isFalse();
    assertThat(table.hello(ORIGIN, 1, PEER, -1)).isFalse();
    assertThat(table.hello(ORIGIN, 1, PEER, Long.MAX_VALUE)).isFalse();
    assertThat(table.isKnown(ORIGIN)).isFalse();
    assertThat(table.hello(ORIGIN, 1, PEER, table.mark())).isTrue();
  }

  @Test
  void shouldRememberTheLastTimeThatAnOriginWasForgotten() {
    hello(ORIGIN, 1, PEER);
    long other = 100;
    long saidAt = 0;
    for (int times = 0; times < 2; times++) {
      saidAt = table.mark();
      for (int i = 0; i < ORIGINS_OF_PEER_MAX; i++) {
        hello(other++, 1, PEER);
      }
      assertThat(table.hello(ORIGIN, 1, PEER, saidAt)).as("time %s", times).isFalse();
      hello(ORIGIN, 1, PEER);
    }
  }
}
