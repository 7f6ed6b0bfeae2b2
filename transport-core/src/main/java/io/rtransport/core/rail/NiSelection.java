package io.rtransport.core.rail;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;

/**
 * Selects where a message of a node goes next, and by which pairs of interfaces a connection to
 * there is made. Which of these pairs a packet takes is then the connection's choice, burst by
 * burst.
 *
 * <p>Source: LNet Health, "Selection Algorithm with Health". Each rule decides among what all rules
 * before it leave:
 *
 * <ol>
 *   <li>Pairs that leave by the given source, if one is given.
 *   <li>Pairs of which no end has failed. If all have, the failed ones are tried, but none from a
 *       given source that has failed.
 *   <li>The next hops that this message was sent by least often. So a resend takes each router
 *       once, and then goes round again.
 *   <li>The route: lowest priority value, then fewest hops.
 *   <li>Health of the pair: the weaker end, then the stronger one. By the letter ours, then the
 *       peer's.
 *   <li>Round robin: the next hop, then our interface, then the peer's, each the one selected least
 *       recently.
 * </ol>
 *
 * <p>The document does not say which of several routers is selected, and repeats a used interface
 * here and not there; docs/reference/lnet-conformance.md says what was decided and why. No I/O, no
 * clock, no randomness: the same calls give the same choices. Any thread.
 */
public final class NiSelection {
  private final Supplier<RailHealthConfig> config;

  /** Next hops and interfaces of which it is remembered when they were selected last. */
  static final int TURNS_MAX = 4_096;

  /**
   * When each next hop, by name, and each interface was selected last, as a growing number. Beyond
   * {@link #TURNS_MAX} the one selected least recently is forgotten: it has its turn first then.
   */
  private final Map<Object, Long> turns = new LinkedHashMap<>();

  private long lastTurn;

  /**
   * @param config asked at each selection
   */
  public NiSelection(Supplier<RailHealthConfig> config) {
    this.config = config;
  }

  private record Candidate(Hop hop, int place) {
    NiPair pair() {
      return hop.pairs().get(place);
    }
  }

  /** Returns what a message takes, and counts it as its turn; null if no pair can be used. */
  public synchronized NiChoice select(SelectionRequest request, long nowNs) {
    NiChoice choice = peek(request, nowNs);
    if (choice != null) {
      NiPair best = choice.nextHop().pairs().get(choice.places().get(0));
      lastTurn++;
      onTurn(choice.nextHop().name());
      onTurn(best.local());
      onTurn(best.peer());
    }
    return choice;
  }

  /** Returns what a message would take; null if no pair can be used. It is nobody's turn. */
  public synchronized NiChoice peek(SelectionRequest request, long nowNs) {
    List<Candidate> left = usable(request);
    if (left.isEmpty()) {
      return null;
    }
    Candidate best = best(left, request, nowNs);
    left.removeIf(candidate -> candidate.hop() != best.hop());
    List<Integer> places = new ArrayList<>();
    while (!left.isEmpty()) {
      Candidate next = best(left, request, nowNs);
      places.add(next.place());
      left.remove(next);
    }
    return new NiChoice(best.hop(), places);
  }

  private void onTurn(Object whose) {
    turns.remove(whose);
    turns.put(whose, lastTurn);
    if (turns.size() > TURNS_MAX) {
      turns.remove(turns.keySet().iterator().next());
    }
  }

  /** Returns how many turns are remembered, for tests. */
  synchronized int turnCount() {
    return turns.size();
  }

  private static List<Candidate> usable(SelectionRequest request) {
    List<Candidate> all = new ArrayList<>();
    for (Hop hop : request.nextHops()) {
      for (int place = 0; place < hop.pairs().size(); place++) {
        NiView local = hop.pairs().get(place).local();
        if (request.source() == null || request.source().equals(local)) {
          all.add(new Candidate(hop, place));
        }
      }
    }
    List<Candidate> working = kept(all, candidate -> !candidate.pair().isFailed());
    boolean isSourceDown = request.source() != null && request.source().isFailed();
    return working.isEmpty() && !isSourceDown ? all : working;
  }

  private Candidate best(List<Candidate> all, SelectionRequest request, long nowNs) {
    RailHealthConfig now = config.get();
    boolean isLetter = now.isLetter();
    List<Candidate> kept = all;
    kept = least(kept, candidate -> request.used().getOrDefault(candidate.hop().name(), 0));
    kept = least(kept, candidate -> candidate.hop().priority());
    kept = least(kept, candidate -> candidate.hop().hops());
    kept = healthiest(kept, candidate -> candidate.pair().first(isLetter, nowNs), now);
    kept = healthiest(kept, candidate -> candidate.pair().second(isLetter, nowNs), now);
    kept = least(kept, candidate -> turn(candidate.hop().name()));
    kept = least(kept, candidate -> turn(candidate.pair().local()));
    kept = least(kept, candidate -> turn(candidate.pair().peer()));
    return kept.get(0);
  }

  private long turn(Object whose) {
    return turns.getOrDefault(whose, 0L);
  }

  private static List<Candidate> kept(List<Candidate> all, Predicate<Candidate> isKept) {
    return new ArrayList<>(all.stream().filter(isKept).toList());
  }

  private static List<Candidate> least(List<Candidate> all, ToLongFunction<Candidate> key) {
    long least = all.stream().mapToLong(key).min().orElseThrow();
    return kept(all, candidate -> key.applyAsLong(candidate) == least);
  }

  /** Returns those as good as the best. All are compared with the best, not with each other. */
  private static List<Candidate> healthiest(
      List<Candidate> all, ToIntFunction<Candidate> health, RailHealthConfig config) {
    int best = all.stream().mapToInt(health).max().orElseThrow();
    return kept(all, candidate -> config.isAsGood(health.applyAsInt(candidate), best));
  }
}
