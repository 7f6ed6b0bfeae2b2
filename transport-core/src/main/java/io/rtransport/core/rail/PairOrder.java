package io.rtransport.core.rail;

/**
 * Decides which of several pairs is the best for a message. Source: LNet Health, "Selection
 * Algorithm" and "Selection Algorithm with Health". Each rule decides among those that all rules
 * before it leave.
 *
 * <ol>
 *   <li>The pairs that this message was sent by least often. So a resend tries each pair once and
 *       then goes round again.
 *   <li>The next hop: a router with health left, then the lowest priority value of the route, then
 *       the fewest hops, then the healthiest, then the one selected least recently.
 *   <li>Our interface: health, distance, available credits, round robin.
 *   <li>The interface of the next hop: health, available credits, round robin.
 * </ol>
 *
 * <p><b>By default</b> health is compared for pairs, before the turns of the next hop: first the
 * weaker end, then the stronger one. By the letter our healthiest interface is taken even if it
 * reaches only a dead one of the peer, while another pair works.
 *
 * <p>Where the document is open:
 *
 * <ul>
 *   <li>"Resend Handling" and "B1C" do not say which pair is next when all were used. A message
 *       counts its uses, so a round takes each pair once, the healthiest first.
 *   <li>"A2C" first forbids to take the same peer NI again, and then allows it. As in "A1C", it is
 *       taken again when no other is left. The same decides against "Remote Interface Failure",
 *       where the send fails if there is no other remote interface.
 *   <li>"Selection Algorithm" does not say which of several routers is selected. An unused pair of
 *       a worse route comes before a used pair of the best one. A router whose best interface has
 *       health 0 goes last: nothing else tells that it is dead.
 *   <li>"Selection Algorithm" says that health is first. The pseudo code of "Old: Implementation
 *       Specifics" never raises the best health that it compares with. Here health is first.
 *   <li>"Selection Algorithm" counts no turns for peer NIs. Here each has its own.
 * </ul>
 */
final class PairOrder {
  private final RailHealthConfig config;
  private final Turns turns;
  private final Uses uses;

  PairOrder(RailHealthConfig config, Turns turns, Uses uses) {
    this.config = config;
    this.turns = turns;
    this.uses = uses;
  }

  /** Returns the best of {@code usable}, which is not empty. */
  Candidate best(Candidates usable) {
    Candidates preferred =
        usable
            .least(candidate -> uses.of(candidate.pair()))
            .least(candidate -> candidate.hop().isDead() ? 1 : 0)
            .least(candidate -> candidate.hop().route().priority())
            .least(candidate -> candidate.hop().route().hops());
    return config.isLetter() ? bestByLetter(preferred) : bestByPair(preferred);
  }

  /**
   * Returns the best pair by default. Among pairs of the same health, a resend takes one that
   * shares no interface with those used: the failure may have been at either end.
   */
  private Candidate bestByPair(Candidates preferred) {
    Candidates healthiest =
        preferred
            .healthiest(Candidate::weakerHealth, config)
            .healthiest(Candidate::strongerHealth, config)
            .least(candidate -> uses.ofEnds(candidate.pair()));
    return firstPeer(firstLocal(firstHop(healthiest)));
  }

  /**
   * Returns the best pair by the letter. "B1C" does not consider interfaces that were used,
   * whatever the health of the others.
   */
  private Candidate bestByLetter(Candidates preferred) {
    Candidates hop = firstHop(preferred.healthiest(candidate -> candidate.hop().health(), config));
    Candidates local =
        firstLocal(
            hop.least(candidate -> uses.of(candidate.local()))
                .healthiest(candidate -> candidate.local().health(), config));
    return firstPeer(
        local
            .least(candidate -> uses.of(candidate.peer()))
            .healthiest(candidate -> candidate.peer().health(), config));
  }

  private static Candidates firstHop(Candidates candidates) {
    return candidates.least(candidate -> candidate.hop().turn()).withFirst(Candidate::hop);
  }

  private Candidates firstLocal(Candidates candidates) {
    long range = config.get(HealthParameter.DISTANCE_RANGE);
    return candidates
        .least(candidate -> Math.max(range, candidate.local().distance()))
        .most(candidate -> candidate.local().availableCredits())
        .least(candidate -> turns.of(candidate.local()))
        .withFirst(Candidate::local);
  }

  private Candidate firstPeer(Candidates candidates) {
    return candidates
        .most(candidate -> candidate.peer().availableCredits())
        .least(candidate -> turns.of(candidate.peer()))
        .first();
  }
}
