package io.rtransport.core.rail;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.aggregator.ArgumentsAccessor;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The rules of selection, a row each ({@link SelectionRow} says how to read one). Scenarios: source
 * given (A) or any (B), destination local (1) or routed (2).
 */
class NiSelectionTest {
  private static void check(ArgumentsAccessor row) {
    for (RailHealthConfig config : SelectionRow.configs(row.getString(1))) {
      new SelectionRow(config, row.getString(2), row.getString(3), row.getString(4))
          .expect(row.getString(5));
    }
  }

  /**
   * The eight scenarios of the document, by our rules: C is a peer or router with several
   * interfaces, D one with one. The second choice of each is a resend. Where the document decides
   * otherwise (B1D 1.3 and B2D 2.3: no resend to an interface that is not well), the row of
   * lnet-conformance.md says why we do not.
   */
  @ParameterizedTest(name = "{0} ({1})")
  @CsvSource(
      delimiter = '|',
      textBlock =
"""
# scenario | preset | NIs    | next hops                        | request       | choices
A1C        | both   | P1:400 | beta=L1-P1,L1-P2,L2-P1           | L1 resending  | L1-P2,L1-P1,end L1-P2,L1-P1,end
A1D        | both   | P1:0   | beta=L1-P1,L2-P1                 | L1 resending  | L1-P1,end L1-P1,end
A2C        | both   | R1:400 | r1=L1-R1,L1-R2 r2=L2-S1          | L1 resending  | L1-R2,L1-R1,end L1-R2,L1-R1,end
A2D        | both   | R1:0   | r1=L1-R1 r2=L2-S1                | L1 resending  | L1-R1,end L1-R1,end
B1C        | both   | L1:400 | beta=L1-P1,L2-P2                 | any resending | L2-P2,L1-P1,end L2-P2,L1-P1,end
B1D        | both   | L1:400 | beta=L1-P1,L2-P1                 | any resending | L2-P1,L1-P1,end L2-P1,L1-P1,end
B2C        | both   | R1:400 | r1=L1-R1,L2-R2 r2=L1-S1,L2-S2    | any resending | L2-R2,L1-R1,end L1-S1,L2-S2,end
B2D        | both   | R1:400 | r1=L1-R1,L2-R1 r2=L1-S1          | any resending | L1-S1,end L2-R1,L1-R1,end
""")
  void shouldDecideEachScenarioOfTheDocument(ArgumentsAccessor row) {
    check(row);
  }

  @ParameterizedTest(name = "A {0} ({1})")
  @CsvSource(
      delimiter = '|',
      textBlock =
"""
# rule                                         | preset | NIs          | next hops                        | request      | choices
only pairs that leave by the source            | both   | -            | beta=L1-P1,L2-P2,L1-P3           | L1           | L1-P1,L1-P3,end
a source by which no pair leaves               | both   | -            | beta=L1-P1                       | L9           | none
a source that is down ends it                  | both   | L1:x         | beta=L1-P1,L2-P2                 | L1           | none
a source works again                           | both   | L1:x         | beta=L1-P1                       | L1           | none L1=up L1-P1
an unhealthy source is used                    | both   | L1:0         | beta=L1-P1,L2-P2                 | L1           | L1-P1
peer NI by health                              | both   | P1:400       | beta=L1-P1,L1-P2                 | L1           | L1-P2,L1-P1 L1-P2
peer NI by round robin                         | both   | -            | beta=L1-P1,L1-P2,L1-P3           | L1           | L1-P1 L1-P2 L1-P3 L1-P1
a failed peer NI is not taken                  | both   | P1:x P2:0    | beta=L1-P1,L1-P2                 | L1           | L1-P2,end
all peer NIs have failed: they are tried        | both   | P1:x         | beta=L1-P1,L2-P1                 | L1           | L1-P1,end L1=x none
all peer NIs unhealthy: the least unhealthy    | both   | P1:0 P2:300  | beta=L1-P1,L1-P2                 | L1           | L1-P2
a resend takes the only next hop again         | both   | P1:0         | beta=L1-P1                       | L1 resending | L1-P1 L1-P1
only routers that the source reaches           | both   | -            | r1=L2-R1 r2/p9=L1-S1             | L1           | L1-S1 from=L2 L2-R1
""")
  void shouldSelectFromAGivenSource(ArgumentsAccessor row) {
    check(row);
  }

  @ParameterizedTest(name = "B1 {0} ({1})")
  @CsvSource(
      delimiter = '|',
      textBlock =
"""
# rule                                         | preset | NIs                 | next hops            | request | choices
all pairs, the best first                      | both   | L1:400 L2:600       | beta=L1-P1,L2-P2,L3-P3 | any   | L3-P3,L2-P2,L1-P1,end
local NI by health                             | both   | L1:400              | beta=L1-P1,L2-P1     | any     | L2-P1 L2-P1
local NI by round robin                        | both   | -                   | beta=L1-P1,L2-P1     | any     | L1-P1 L2-P1 L1-P1
a failed local NI is not taken                 | both   | L1:x L2:0           | beta=L1-P1,L2-P1     | any     | L2-P1,end L1=up L1-P1,L2-P1
all have failed: they are tried                | both   | L1:x P2:x           | beta=L1-P1,L2-P2     | any     | L1-P1,L2-P2 L2-P2,L1-P1
all are unhealthy: the least unhealthy         | both   | L1:0 L2:300 P1:0 P2:300 | beta=L1-P1,L2-P2 | any     | L2-P2 L2-P2
the weaker end of a pair decides first         | usual  | L2:600 P1:0 P2:600  | beta=L1-P1,L2-P2     | any     | L2-P2 L2-P2
our end decides first                          | hld    | L2:600 P1:0 P2:600  | beta=L1-P1,L2-P2     | any     | L1-P1 L1-P1
the stronger end of a pair decides next        | usual  | L1:600 P1:600 L2:600 | beta=L1-P1,L2-P2    | any     | L2-P2 L2-P2
the peer's end decides next                    | hld    | P1:600              | beta=L1-P1,L2-P2     | any     | L2-P2 L2-P2
""")
  void shouldSelectFromAnySource(ArgumentsAccessor row) {
    check(row);
  }

  @ParameterizedTest(name = "B2 {0} ({1})")
  @CsvSource(
      delimiter = '|',
      textBlock =
"""
# rule                                         | preset | NIs                 | next hops                          | request        | choices
no router ends it                              | both   | -                   | -                                  | any            | none
route by priority                              | both   | -                   | r1/p1=L1-R1 r2/p0=L1-S1            | any            | L1-S1 L1-S1
route by hops                                  | both   | -                   | r1/h2=L1-R1 r2/h1=L1-S1            | any            | L1-S1 L1-S1
priority before hops                           | both   | -                   | r1/p1/h1=L1-R1 r2/p0/h8=L1-S1      | any            | L1-S1
hops before health                             | both   | R1:0                | r1/h1=L1-R1 r2/h2=L1-S1            | any            | L1-R1 L1-R1
router by health                               | both   | R1:400              | r1=L1-R1 r2=L1-S1                  | any            | L1-S1 L1-S1 R1=1000 L1-R1
a router is as healthy as its best pair        | both   | R1:400 S1:600 S2:600 | r1=L1-R1,L1-R2 r2=L1-S1,L1-S2     | any            | L1-R2,L1-R1,end
router by round robin                          | both   | -                   | r1=L1-R1 r2=L1-S1 r3=L1-T1         | any            | L1-R1 L1-S1 L1-T1 L1-R1
a router with two pairs has one turn           | both   | -                   | r1=L1-R1,L1-R2 r2=L1-S1            | any            | L1-R1 L1-S1 L1-R2 L1-S1
a router that has failed is not taken          | both   | R1:x                | r1=L1-R1 r2/p9=L1-S1               | any            | L1-S1
a resend takes another router, if unhealthy    | both   | S1:0                | r1=L1-R1 r2=L1-S1                  | any after r1   | L1-S1
a resend takes another router of a worse route | both   | -                   | r1=L1-R1 r2/p9=L1-S1               | any after r1   | L1-S1
a resend takes a used router if no other works | both   | S1:x                | r1=L1-R1 r2=L1-S1                  | any after r1   | L1-R1
resends take each router once, then go round   | both   | S1:900              | r1=L1-R1 r2=L1-S1 r3/p1=L1-T1      | any resending  | L1-R1 L1-S1 L1-T1 L1-R1 L1-S1 L1-T1
the router least used                          | both   | -                   | r1=L1-R1 r2/p9=L1-S1               | any after r2,r1,r2 | L1-R1
""")
  void shouldSelectARouter(ArgumentsAccessor row) {
    check(row);
  }

  @ParameterizedTest(name = "bound: {0} ({1})")
  @CsvSource(
      delimiter = '|',
      textBlock =
"""
# bound                             | preset                | NIs                 | next hops              | request | choices
full and fair                       | usual                 | L1:999              | beta=L1-P1,L2-P1       | any     | L2-P1 L2-P1
all of fair                         | usual                 | L1:500 L2:999       | beta=L1-P1,L2-P1       | any     | L1-P1 L2-P1 L1-P1
fair and poor                       | usual                 | L1:499 L2:500       | beta=L1-P1,L2-P1       | any     | L2-P1 L2-P1
all of poor                         | usual                 | L1:1 L2:499         | beta=L1-P1,L2-P1       | any     | L1-P1 L2-P1 L1-P1
poor and none                       | usual                 | L1:0 L2:1           | beta=L1-P1,L2-P1       | any     | L2-P1 L2-P1
numbers by the letter               | hld                   | L1:998 L2:999       | beta=L1-P1,L2-P1       | any     | L2-P1 L2-P1
equal numbers by the letter         | hld                   | L1:998 L2:998       | beta=L1-P1,L2-P1       | any     | L1-P1 L2-P1 L1-P1
health, in the range                | both health-range=100 | L1:900              | beta=L1-P1,L2-P1       | any     | L1-P1 L2-P1 L1-P1
health, out of the range            | both health-range=100 | L1:899              | beta=L1-P1,L2-P1       | any     | L2-P1 L2-P1
a range is counted from the best    | both health-range=100 | L1:820 L2:910       | beta=L1-P1,L2-P1,L3-P1 | any     | L2-P1 L3-P1 L2-P1
""")
  void shouldKeepTheBound(ArgumentsAccessor row) {
    check(row);
  }

  @Test
  void shouldTakeTheConfigurationThatWasSetLast() {
    RailHealthConfig usual = RailHealthConfig.usual();
    SelectionRow row = new SelectionRow(usual, "L1:998 L2:999", "beta=L1-P1,L2-P1", "any");
    row.expect("L1-P1 L2-P1 L1-P1");
    row.config(RailHealthConfig.hld());
    row.expect("L2-P1 L2-P1");
  }

  /** Peers tell addresses that they give up again, so a node selects ever more of them. */
  @Test
  void shouldRememberTheTurnsOfABoundedNumber() {
    RailHealth health = new RailHealth(new Random(1));
    NiSelection selection = new NiSelection(RailHealthConfig::usual);
    NiView ours = health.ours("", null);
    for (int i = 0; i < 2 * NiSelection.TURNS_MAX; i++) {
      NiView theirs = health.ofPeer("net" + i, new InetSocketAddress(7));
      Hop hop = new Hop("beta", 0, 0, List.of(new NiPair(ours, theirs)));
      selection.select(new SelectionRequest(null, List.of(hop), Map.of()), 0);
      assertThat(selection.turnCount()).isEqualTo(Math.min(i + 3, NiSelection.TURNS_MAX));
    }
    NiView last = health.ofPeer("net" + (2 * NiSelection.TURNS_MAX - 1), new InetSocketAddress(7));
    NiView first = health.ofPeer("net0", new InetSocketAddress(7));
    Hop both = new Hop("beta", 0, 0, List.of(new NiPair(ours, last), new NiPair(ours, first)));
    SelectionRequest request = new SelectionRequest(null, List.of(both), Map.of());
    assertThat(selection.select(request, 0).places()).as("its turn is forgotten").startsWith(1);
  }
}
