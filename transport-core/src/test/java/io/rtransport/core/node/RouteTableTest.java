package io.rtransport.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RouteTableTest {
  private static final long REST_NS = 1_000;

  @Test
  void shouldLetEachRestByItself() {
    Route first = new Route("net1", "a", 1, 9);
    Route second = new Route("net1", "b", 2, 0);
    RouteTable table = new RouteTable(List.of(first, second), REST_NS);
    assertThat(table.awake(5)).containsExactly(first, second);
    table.onNoWay(first, 5);
    assertThat(table.awake(6)).containsExactly(second);
    table.onNoWay(second, 6);
    assertThat(table.awake(6)).as("all rest").isEmpty();
    assertThat(table.awake(5 + REST_NS)).containsExactly(first);
  }

  @Test
  void shouldRestExactlyAsLongAsItsRestAndNoLongerIfItLedThere() {
    Route only = new Route("net1", "a", 1, 0);
    RouteTable table = new RouteTable(List.of(only), REST_NS);
    long beganNs = Long.MAX_VALUE - 10; // the clock may wrap
    table.onNoWay(only, beganNs);
    assertThat(table.awake(beganNs + REST_NS - 1)).isEmpty();
    assertThat(table.dueNs(beganNs + 400)).isEqualTo(beganNs + REST_NS);
    assertThat(table.awake(beganNs + REST_NS)).containsExactly(only);
    table.onNoWay(only, beganNs);
    table.onWay(only);
    assertThat(table.awake(beganNs)).containsExactly(only);
  }

  @Test
  void shouldDoAsAModelDoes() {
    for (long seed = 1; seed <= 200; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      List<Route> routes = new ArrayList<>();
      for (int i = random.nextInt(1, 6); i > 0; i--) {
        routes.add(new Route("n", "r" + i, random.nextInt(1, 4), random.nextInt(3)));
      }
      RouteTable table = new RouteTable(routes, REST_NS);
      Map<Route, Long> rests = new HashMap<>();
      long nowNs = random.nextLong();
      for (int step = 0; step < 100; step++) {
        nowNs += random.nextInt(700);
        long at = nowNs;
        List<Route> expected =
            routes.stream().filter(r -> !rests.containsKey(r) || at - rests.get(r) >= 0).toList();
        assertThat(table.awake(nowNs)).as("seed %d step %d", seed, step).isEqualTo(expected);
        for (Route taken : routes) {
          long otherWaitNs =
              routes.stream()
                  .filter(r -> !r.equals(taken))
                  .mapToLong(r -> rests.containsKey(r) ? Math.max(0, rests.get(r) - at) : 0)
                  .min()
                  .orElse(Long.MAX_VALUE);
          assertThat(table.otherWaitNs(taken, at))
              .as("seed %d step %d", seed, step)
              .isEqualTo(otherWaitNs);
        }
        if (expected.isEmpty()) {
          long soonest = rests.values().stream().mapToLong(t -> t - at).min().orElseThrow();
          assertThat(table.dueNs(nowNs)).as("seed %d", seed).isEqualTo(nowNs + soonest);
        }
        Route told = expected.isEmpty() ? routes.get(0) : expected.get(0);
        if (random.nextInt(4) == 0) {
          table.onWay(told);
          rests.remove(told);
        } else {
          table.onNoWay(told, nowNs);
          rests.put(told, nowNs + REST_NS);
        }
      }
    }
  }

  @Test
  void shouldRefuseWhatIsOutOfRange() {
    assertThatThrownBy(() -> new Route("net 1", "r", 1, 0)).hasMessageContaining("network=net 1");
    assertThatThrownBy(() -> new Route("n", "", 1, 0)).hasMessageContaining("router=");
    assertThatThrownBy(() -> new Route("n", "r", 0, 0)).hasMessage("hops=0, valid: 1..8");
    assertThatThrownBy(() -> new Route("n", "r", 9, 0)).hasMessage("hops=9, valid: 1..8");
    assertThatThrownBy(() -> new Route("n", "r", 8, 65_536))
        .hasMessage("priority=65536, valid: 0..65535");
    assertThatThrownBy(() -> new RouteTable(List.of(), 1)).hasMessage("routes=0, valid: 1..16");
    List<Route> many = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      many.add(new Route("n", "r" + i, 8, 65_535));
    }
    assertThat(new RouteTable(many, 1).awake(0)).isEqualTo(many);
    many.add(new Route("n", "r", 1, 0));
    assertThatThrownBy(() -> new RouteTable(many, 1)).hasMessage("routes=17, valid: 1..16");
  }
}
