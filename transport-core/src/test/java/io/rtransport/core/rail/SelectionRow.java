package io.rtransport.core.rail;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * One row of the table of selections, run with one configuration.
 *
 * <pre>
 *   NIs        L1:900 P1:x         health 900; failed. Those not named have full health
 *   next hops  beta=L1-P1,L2-P2    a peer, with its pairs of interfaces
 *              r1/p1/h2=L1-R1 r2=…  routers, with priority and hops of their routes
 *   request    any | L1            source
 *              after r1,r2         next hops used before
 *              resending           each choice is one more next hop used
 *   choices    L1-P1               expects this pair first
 *              L1-P1,L2-P2         expects these first, in this order
 *              L1-P1,end           expects no others
 *              none                expects that nothing is selected
 *              L1=900 L1=x L1=up   changes health, fails, works again
 *              from=L2 from=any    changes the source
 * </pre>
 */
final class SelectionRow {
  private static final class Ni implements NiView {
    private final String name;
    private int health = RailHealthConfig.HEALTH_MAX;
    private boolean isFailed;

    private Ni(String name) {
      this.name = name;
    }

    private void set(String value) {
      switch (value) {
        case "x" -> isFailed = true;
        case "up" -> isFailed = false;
        default -> health = Integer.parseInt(value);
      }
    }

    @Override
    public int health(long nowNs) {
      return health;
    }

    @Override
    public boolean isFailed() {
      return isFailed;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  private final Map<String, Ni> nis = new LinkedHashMap<>();
  private final List<Hop> hops = new ArrayList<>();
  private final Map<String, Integer> used = new HashMap<>();
  private final NiSelection selection;
  private RailHealthConfig config;
  private NiView source;
  private boolean isResending;

  SelectionRow(RailHealthConfig config, String nis, String hops, String request) {
    this.config = config;
    selection = new NiSelection(() -> this.config);
    for (String ni : words(nis)) {
      String[] parts = ni.split(":");
      named(parts[0]).set(parts[1]);
    }
    words(hops).forEach(hop -> this.hops.add(hop(hop)));
    ask(words(request));
  }

  private static List<String> words(String text) {
    return text.equals("-") ? List.of() : List.of(text.split(" +"));
  }

  private Ni named(String name) {
    return nis.computeIfAbsent(name, Ni::new);
  }

  private Hop hop(String text) {
    String[] parts = text.split("=");
    String[] names = parts[0].split("/");
    int priority = 0;
    int routers = 0;
    for (int i = 1; i < names.length; i++) {
      int value = Integer.parseInt(names[i].substring(1));
      priority = names[i].charAt(0) == 'p' ? value : priority;
      routers = names[i].charAt(0) == 'h' ? value : routers;
    }
    List<NiPair> pairs = new ArrayList<>();
    for (String pair : parts[1].split(",")) {
      String[] ends = pair.split("-");
      pairs.add(new NiPair(named(ends[0]), named(ends[1])));
    }
    return new Hop(names[0], priority, routers, pairs);
  }

  private void ask(List<String> words) {
    from(words.get(0));
    for (int i = 1; i < words.size(); i++) {
      switch (words.get(i)) {
        case "after" -> List.of(words.get(++i).split(",")).forEach(this::use);
        case "resending" -> isResending = true;
        default -> throw new IllegalArgumentException("word=" + words.get(i));
      }
    }
  }

  private void use(String hop) {
    used.merge(hop, 1, Integer::sum);
  }

  private void from(String name) {
    source = name.equals("any") ? null : named(name);
  }

  void config(RailHealthConfig changed) {
    config = changed;
  }

  void expect(String choices) {
    int step = 0;
    for (String word : words(choices)) {
      String[] change = word.split("=");
      step++;
      if (change.length < 2) {
        expect(step, choices, word);
      } else if (change[0].equals("from")) {
        from(change[1]);
      } else {
        named(change[0]).set(change[1]);
      }
    }
  }

  private void expect(int step, String choices, String word) {
    List<String> chosen = select();
    List<String> expected = List.of(word.split(","));
    assertThat(chosen.subList(0, Math.min(chosen.size(), expected.size())))
        .as("step %d of %s", step, choices)
        .isEqualTo(expected);
  }

  private List<String> select() {
    NiChoice choice = selection.select(new SelectionRequest(source, hops, used), 0);
    if (choice == null) {
      return List.of("none");
    }
    if (isResending) {
      use(choice.nextHop().name());
    }
    List<String> names = new ArrayList<>();
    for (int place : choice.places()) {
      NiPair pair = choice.nextHop().pairs().get(place);
      names.add(pair.local() + "-" + pair.peer());
    }
    assertThat(names).doesNotHaveDuplicates();
    names.add("end");
    return names;
  }

  /** Returns the configurations of {@code usual}, {@code hld} or {@code both}, with values. */
  static List<RailHealthConfig> configs(String text) {
    List<RailHealthConfig> configs = new ArrayList<>();
    List<String> words = words(text);
    if (!words.get(0).equals("hld")) {
      configs.add(with(RailHealthConfig.usual(), words));
    }
    if (!words.get(0).equals("usual")) {
      configs.add(with(RailHealthConfig.hld(), words));
    }
    return configs;
  }

  private static RailHealthConfig with(RailHealthConfig base, List<String> words) {
    RailHealthConfig.Builder builder = base.with();
    for (String word : words.subList(1, words.size())) {
      String[] value = word.split("=");
      String name = value[0].replace('-', '_').toUpperCase(Locale.ROOT);
      builder.set(HealthParameter.valueOf(name), Long.parseLong(value[1]));
    }
    return builder.build();
  }
}
