package io.rtransport.core.rail;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/**
 * Pairs that a message can take. Each step returns the best of them by one rule, in the same order,
 * and never drops all. The work of a step grows with the number of pairs.
 */
final class Candidates {
  private final List<Candidate> all;

  private Candidates(List<Candidate> all) {
    this.all = all;
  }

  /** Returns each pair of interfaces on one network of which neither has failed. */
  static Candidates of(List<NiView> locals, List<Route> nextHops, Turns turns) {
    List<NiView> usable = locals.stream().filter(ni -> !ni.isFailed()).toList();
    Set<String> networks = usable.stream().map(NiView::network).collect(Collectors.toSet());
    List<Candidate> all = new ArrayList<>();
    for (Route route : nextHops) {
      NextHop hop = NextHop.of(route, networks, turns);
      for (NiView local : usable) {
        for (NiView peer : hop.nis()) {
          if (local.network().equals(peer.network())) {
            all.add(new Candidate(hop, new NiPair(local, peer)));
          }
        }
      }
    }
    return new Candidates(all);
  }

  boolean isEmpty() {
    return all.isEmpty();
  }

  Candidate first() {
    return all.get(0);
  }

  /** Returns those that {@code wanted} holds for; all if it holds for none. */
  Candidates preferring(Predicate<Candidate> wanted) {
    List<Candidate> kept = all.stream().filter(wanted).toList();
    return kept.isEmpty() ? this : new Candidates(kept);
  }

  /** Returns those with the least value of {@code key}. */
  Candidates least(ToLongFunction<Candidate> key) {
    long least = all.stream().mapToLong(key).min().orElse(0);
    return preferring(candidate -> key.applyAsLong(candidate) == least);
  }

  /** Returns those with the greatest value of {@code key}. */
  Candidates most(ToLongFunction<Candidate> key) {
    return least(candidate -> -key.applyAsLong(candidate));
  }

  /** Returns those as good as the best. All are compared with the best, not with each other. */
  Candidates healthiest(ToIntFunction<Candidate> health, RailHealthConfig config) {
    int best = all.stream().mapToInt(health).max().orElse(0);
    return preferring(candidate -> config.isAsGood(health.applyAsInt(candidate), best));
  }

  /** Returns those that share {@code part} with the first. */
  Candidates withFirst(Function<Candidate, Object> part) {
    Object first = part.apply(first());
    return preferring(candidate -> part.apply(candidate) == first);
  }
}
