package io.rtransport.core.rail;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * One row of the table of selections, run with one configuration.
 *
 * <pre>
 *   NI           L1@a:900,d5,c3,x  network a (also if it has none), health 900, distance 5,
 *                                  credits 3, failed
 *   destination  MR P1 P2          peer; NMR for one that is not multi-rail
 *                MR D@z via MR p1 h2 R1 via NMR S1
 *                                  the same by two routes, with priority and hops
 *   request      any | L1          source
 *                after L1-P1,L2-P2 pairs used before
 *                to P2             wanted peer NI
 *                resending         each choice is one more pair used
 *   choices      L1-P1             expects this pair
 *                NO_ROUTE          expects none, for this reason
 *                L1=900 L1=x L1=up changes health, fails, works again
 *                L1=gone L1=back   is removed, is added
 *                from=L2 from=any  changes the source
 * </pre>
 */
final class SelectionRow {
  private static final class Ni implements NiView {
    private final String name;
    private String network = "a";
    private int health = RailHealthConfig.HEALTH_MAX;
    private boolean isFailed;
    private int distance;
    private int credits;

    private Ni(String name) {
      this.name = name;
    }

    private void set(String attribute) {
      switch (attribute.charAt(0)) {
        case 'x' -> isFailed = true;
        case 'u' -> isFailed = false;
        case 'd' -> distance = Integer.parseInt(attribute.substring(1));
        case 'c' -> credits = Integer.parseInt(attribute.substring(1));
        default -> health = Integer.parseInt(attribute);
      }
    }

    @Override
    public String network() {
      return network;
    }

    @Override
    public int health() {
      return health;
    }

    @Override
    public boolean isFailed() {
      return isFailed;
    }

    @Override
    public int distance() {
      return distance;
    }

    @Override
    public int availableCredits() {
      return credits;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  private record Peer(List<Ni> nis, boolean isMultiRail) implements PeerView {}

  private final Map<String, Ni> nis = new LinkedHashMap<>();
  private final List<NiPair> used = new ArrayList<>();
  private final NiSelection selection;
  private SelectionRequest request;
  private boolean isResending;

  SelectionRow(RailHealthConfig config, String ours, String destination, String asked) {
    selection = new NiSelection(config);
    for (String text : words(ours)) {
      selection.onLocalNiAdded(read(text));
    }
    String[] vias = destination.split(" via ", -1);
    Peer peer = peer(vias[0]);
    List<Route> routes = new ArrayList<>();
    for (int i = 1; i < vias.length; i++) {
      if (!vias[i].equals("-")) {
        Peer router = peer(vias[i]);
        routes.add(new Route(router, number(vias[i], 'h'), number(vias[i], 'p')));
      }
    }
    request =
        vias.length == 1 ? SelectionRequest.to(peer) : SelectionRequest.byRoutes(peer, routes);
    ask(words(asked));
  }

  private static List<String> words(String text) {
    return text.equals("-") ? List.of() : List.of(text.split(" +"));
  }

  private static int number(String words, char letter) {
    for (String word : words(words)) {
      if (word.charAt(0) == letter) {
        return Integer.parseInt(word.substring(1));
      }
    }
    return 0;
  }

  private Ni named(String name) {
    return nis.computeIfAbsent(name, Ni::new);
  }

  private Ni read(String text) {
    String[] parts = text.split(":", 2);
    String[] names = parts[0].split("@", 2);
    Ni ni = named(names[0]);
    if (names.length == 2) {
      ni.network = names[1];
    }
    if (parts.length == 2) {
      List.of(parts[1].split(",")).forEach(ni::set);
    }
    return ni;
  }

  private Peer peer(String text) {
    List<Ni> read = new ArrayList<>();
    for (String word : words(text)) {
      if (Character.isUpperCase(word.charAt(0)) && !word.endsWith("MR")) {
        read.add(read(word));
      }
    }
    return new Peer(read, text.startsWith("MR"));
  }

  private NiPair pair(String text) {
    String[] names = text.split("-");
    return new NiPair(named(names[0]), named(names[1]));
  }

  private void ask(List<String> words) {
    from(words.get(0));
    for (int i = 1; i < words.size(); i++) {
      switch (words.get(i)) {
        case "after" -> List.of(words.get(++i).split(",")).forEach(text -> used.add(pair(text)));
        case "to" -> request = request.wanting(named(words.get(++i)));
        case "resending" -> isResending = true;
        default -> throw new IllegalArgumentException("word=" + words.get(i));
      }
    }
  }

  private void from(String source) {
    SelectionRequest r = request;
    request =
        source.equals("any")
            ? new SelectionRequest(
                null, r.destination(), r.isRouted(), r.nextHops(), r.used(), r.wantedPeerNi())
            : request.from(named(source));
  }

  void config(RailHealthConfig config) {
    selection.config(config);
  }

  void expect(String choices) {
    int step = 0;
    for (String word : words(choices)) {
      String[] change = word.split("=");
      step++;
      if (change.length == 2) {
        change(change[0], change[1]);
      } else {
        assertThat(select()).as("step %d of %s", step, choices).isEqualTo(word);
      }
    }
  }

  private void change(String name, String value) {
    if (name.equals("from")) {
      from(value);
      return;
    }
    switch (value) {
      case "gone" -> selection.onNiRemoved(named(name));
      case "back" -> selection.onLocalNiAdded(named(name));
      default -> named(name).set(value);
    }
  }

  private String select() {
    NiChoice choice = selection.select(request.resentAfter(used));
    if (!choice.isChosen()) {
      assertThat(choice.nextHop()).isNull();
      return choice.reason().name();
    }
    assertThat(choice.reason()).isNull();
    assertThat(choice.nextHop().nis().contains(choice.pair().peer())).isTrue();
    if (isResending) {
      used.add(choice.pair());
    }
    return choice.pair().local() + "-" + choice.pair().peer();
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
