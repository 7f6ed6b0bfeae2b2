package io.rtransport.core.rail;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.aggregator.ArgumentsAccessor;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The rules of selection, a row each ({@link SelectionRow} says how to read one). Scenarios: source
 * given (A) or any (B), destination local (1) or routed (2), multi-rail (C) or not (D).
 */
class NiSelectionTest {
  private static void check(ArgumentsAccessor row) {
    for (RailHealthConfig config : SelectionRow.configs(row.getString(1))) {
      new SelectionRow(config, row.getString(2), row.getString(3), row.getString(4))
          .expect(row.getString(5));
    }
  }

  @ParameterizedTest(name = "A1C {0} ({1})")
  @CsvSource(
      delimiter = '|',
      textBlock =
"""
# rule                                        | preset | ours        | destination       | request                 | choices
a source that is not ours ends it             | both   | L1          | MR P1             | L9                      | NO_LOCAL_NI
a source that is down ends it                 | both   | L1:x L2     | MR P1             | L1                      | LOCAL_NI_DOWN
an unhealthy source is used                   | both   | L1:0 L2     | MR P1             | L1                      | L1-P1
peer NI by health                             | both   | L1          | MR P1:400 P2      | L1                      | L1-P2 L1-P2
peer NI by health before credits              | both   | L1          | MR P1:400,c9 P2   | L1                      | L1-P2
peer NI by credits                            | both   | L1          | MR P1:c1 P2:c2    | L1                      | L1-P2 L1-P2
peer NI by round robin                        | both   | L1          | MR P1 P2 P3       | L1                      | L1-P1 L1-P2 L1-P3 L1-P1
only peer NIs of the network of the source    | both   | L1@a L2@b   | MR P1@b P2@a      | L1                      | L1-P2
no peer NI on the network of the source       | both   | L1@a L2@b   | MR P1@b           | L1                      | NO_COMMON_NETWORK
a failed peer NI is never taken               | both   | L1          | MR P1:x P2:0      | L1                      | L1-P2 L1-P2
all peer NIs have failed                      | both   | L1          | MR P1:x P2:x      | L1                      | PEER_NI_FAILED
all peer NIs unhealthy: the least unhealthy   | both   | L1          | MR P1:0 P2:300    | L1                      | L1-P2
a resend goes to the wanted peer NI           | both   | L1          | MR P1 P2          | L1 after L1-P1 to P1    | L1-P1
a wanted peer NI that is unhealthy            | both   | L1          | MR P1:999 P2      | L1 after L1-P1 to P1    | L1-P2
a wanted peer NI that has failed              | both   | L1          | MR P1:x P2        | L1 after L1-P1 to P1    | L1-P2
a wanted peer NI out of reach of the source   | both   | L1@a L2@b   | MR P1@a P2@b      | L1 after L1-P1 to P2    | L1-P1
a first attempt wants no peer NI              | both   | L1          | MR P1 P2          | L1 to P2                | L1-P1
a resend takes another peer NI, if unhealthy  | both   | L1          | MR P1 P2:0        | L1 after L1-P1          | L1-P2
a resend takes a used one if no other works   | both   | L1          | MR P1 P2:x        | L1 after L1-P1          | L1-P1
resends go round, the healthiest first        | both   | L1          | MR P1:900 P2 P3:1 | L1 resending            | L1-P2 L1-P1 L1-P3 L1-P2 L1-P1 L1-P3
""")
  void shouldSelectFromAGivenSource(ArgumentsAccessor row) {
    check(row);
  }

  @ParameterizedTest(name = "A2C {0} ({1})")
  @CsvSource(
      delimiter = '|',
      textBlock =
"""
# rule                                        | preset | ours        | destination                   | request              | choices
a source that is not ours ends it             | both   | L1          | MR D@z via MR R1              | L9                   | NO_LOCAL_NI
a source that is down ends it                 | both   | L1:x L2     | MR D@z via MR R1              | L1                   | LOCAL_NI_DOWN
no router ends it                             | both   | L1          | MR D@z via -                  | L1                   | NO_ROUTE
no router that the source reaches             | both   | L1@a L2@b   | MR D@z via MR R1@b            | L1                   | NO_ROUTE
no router with an NI that works               | both   | L1          | MR D@z via MR R1:x R2:x       | L1                   | NO_ROUTE
the NIs of the destination do not count       | both   | L1          | MR D@a:x via MR R1            | L1                   | L1-R1
NI of the router by health                    | both   | L1          | MR D@z via MR R1:400 R2       | L1                   | L1-R2 L1-R2
a resend goes to the wanted peer NI           | both   | L1          | MR D@z via MR R1 R2           | L1 after L1-R1 to R1 | L1-R1
a wanted NI of another router                 | both   | L1          | MR D@z via MR R1 via MR p9 S1 | L1 after L1-S1 to S1 | L1-S1
a wanted peer NI that is unhealthy            | both   | L1          | MR D@z via MR R1:999 R2       | L1 after L1-R1 to R1 | L1-R2
a resend takes another NI, then goes round    | both   | L1          | MR D@z via MR R1 R2:0         | L1 resending         | L1-R1 L1-R2 L1-R1
the only NI is taken again until it fails     | both   | L1          | MR D@z via MR R1:0            | L1 resending         | L1-R1 L1-R1 R1=x NO_ROUTE
""")
  void shouldSelectFromAGivenSourceByRoutes(ArgumentsAccessor row) {
    check(row);
  }

  @ParameterizedTest(name = "{0} ({1})")
  @CsvSource(
      delimiter = '|',
      textBlock =
"""
# scenario and rule                                | preset | ours    | destination               | request      | choices
A1D a source that is not ours ends it              | both   | L1      | NMR P1                    | L9           | NO_LOCAL_NI
A1D a source that is down ends it                  | both   | L1:x L2 | NMR P1                    | L1           | LOCAL_NI_DOWN
A1D goes to the peer NI, if unhealthy              | both   | L1      | NMR P1:0                  | L1           | L1-P1
A1D goes to the first NI only                      | both   | L1      | NMR P1 P2                 | L1           | L1-P1 L1-P1
A1D a resend takes the same, if unhealthy          | both   | L1 L2   | NMR P1:0                  | L1 resending | L1-P1 L1=0 L1-P1 L1-P1
A1D fails if the peer NI has failed                | both   | L1      | NMR P1 P2                 | L1 resending | L1-P1 P1=x PEER_NI_FAILED
A1D a given source goes before the preferred NI    | both   | L1 L2   | NMR P1                    | any          | L1-P1 from=L2 L2-P1 from=any L1-P1 L1-P1
A1D a given source is preferred if none was        | both   | L1 L2   | NMR P1                    | L2           | L2-P1 from=any L2-P1
A1D a given source is preferred if that one failed | both   | L1 L2   | NMR P1                    | any          | L1-P1 L1=x from=L2 L2-P1 L1=up from=any L2-P1
A2D a source that is not ours ends it              | both   | L1      | NMR D@z via MR R1         | L9           | NO_LOCAL_NI
A2D a source that is down ends it                  | both   | L1:x L2 | NMR D@z via MR R1         | L1           | LOCAL_NI_DOWN
A2D no router ends it                              | both   | L1      | NMR D@z via -             | L1           | NO_ROUTE
A2D goes to the best NI of the router              | both   | L1      | NMR D@z via MR R1:400 R2  | L1           | L1-R2 L1-R2
A2D a resend takes the same NI, if unhealthy       | hld    | L1      | NMR D@z via MR R1 R2      | L1 resending | L1-R1 R1=0 L1-R1 L1-R1
A2D a resend may take another NI of the router     | usual  | L1      | NMR D@z via MR R1 R2      | L1 resending | L1-R1 L1-R2 L1-R1
A2D a resend fails if that NI has failed           | hld    | L1      | NMR D@z via MR R1 R2      | L1 resending | L1-R1 R1=x PEER_NI_FAILED
A2D a resend leaves an NI that has failed          | usual  | L1      | NMR D@z via MR R1 R2      | L1 resending | L1-R1 R1=x L1-R2 L1-R2
A2D a first attempt may take another NI            | both   | L1      | NMR D@z via MR R1 R2      | L1           | L1-R1 L1-R2 R1=x L1-R2
A2D a given source is preferred if none was        | both   | L1 L2   | NMR D@z via MR R1         | L2           | L2-R1 from=any L2-R1
""")
  void shouldSelectFromAGivenSourceToAPeerWithOneRail(ArgumentsAccessor row) {
    check(row);
  }

  @ParameterizedTest(name = "B1C {0} ({1})")
  @CsvSource(
      delimiter = '|',
      textBlock =
"""
# rule                                            | preset | ours            | destination           | request               | choices
we have no interface                              | both   | -               | MR P1                 | any                   | NO_LOCAL_NI
all our interfaces have failed                    | both   | L1:x L2:x       | MR P1                 | any                   | LOCAL_NI_DOWN
ours on the networks of the peer have failed      | both   | L1@a:x L2@b     | MR P1@a               | any                   | LOCAL_NI_DOWN
no network in common                              | both   | L1@a L2@b       | MR P1@c               | any                   | NO_COMMON_NETWORK
no interface of the peer                          | both   | L1              | MR                    | any                   | NO_COMMON_NETWORK
all peer NIs have failed                          | both   | L1@a L2@b       | MR P1@a:x P2@b:x      | any                   | PEER_NI_FAILED
any network of the peer will do                   | both   | L1@a L2@b       | MR P1@c P2@b          | any                   | L2-P2
local NI by health                                | both   | L1:400 L2       | MR P1                 | any                   | L2-P1 L2-P1
local NI by health before distance                | both   | L1:400 L2:d9    | MR P1                 | any                   | L2-P1
local NI by distance                              | both   | L1:d1 L2        | MR P1                 | any                   | L2-P1 L2-P1
local NI by distance before credits               | both   | L1:d9,c9 L2:d1  | MR P1                 | any                   | L2-P1
local NI by credits                               | both   | L1:c1 L2:c2     | MR P1                 | any                   | L2-P1 L2-P1
local NI by round robin                           | both   | L1 L2 L3        | MR P1                 | any                   | L1-P1 L2-P1 L3-P1 L1-P1
a failed local NI is never taken                  | both   | L1:x L2:0       | MR P1                 | any                   | L2-P1 L2-P1
a local NI works again                            | both   | L1:x L2         | MR P1                 | any                   | L2-P1 L1=up L1-P1
a removed local NI is not taken                   | both   | L1 L2           | MR P1                 | any                   | L1-P1 L1=gone L2-P1 L2-P1
an NI added again has had no turn                 | both   | L1 L2           | MR P1                 | any                   | L1-P1 L2-P1 L2=gone L2=back L2-P1
all are unhealthy: the least unhealthy            | both   | L1:0 L2:300     | MR P1:0 P2:300        | any                   | L2-P2 L2-P2
the weaker end of a pair decides first            | usual  | L1@a L2@b:600   | MR P1@a:0 P2@b:600    | any                   | L2-P2 L2-P2
our end decides first                             | hld    | L1@a L2@b:600   | MR P1@a:0 P2@b:600    | any                   | L1-P1 L1-P1
the stronger end of a pair decides next           | usual  | L1@a:600 L2@b:600 | MR P1@a:600 P2@b    | any                   | L2-P2 L2-P2
the peer's end does not decide for ours           | hld    | L1@a:600 L2@b:600 | MR P1@a:600 P2@b    | any                   | L1-P1 L2-P2 L1-P1
the peer's credits do not decide for ours         | both   | L1@a L2@b       | MR P1@a P2@b:c9       | any                   | L1-P1 L2-P2 L1-P1
our distance goes before the peer's credits       | both   | L1@a:d1 L2@b    | MR P1@a:c9 P2@b       | any                   | L2-P2 L2-P2
a resend takes another local NI, if unhealthy     | both   | L1 L2:0         | MR P1                 | any after L1-P1       | L2-P1
a resend takes a used local NI if no other works  | both   | L1 L2:x         | MR P1                 | any after L1-P1       | L1-P1
a resend does not repeat either end, if unhealthy | hld    | L1 L2:0         | MR P1 P2:0            | any after L1-P1       | L2-P2
a resend takes the healthiest of the other pairs  | usual  | L1 L2:0         | MR P1 P2              | any after L1-P1       | L1-P2
a resend to a used peer NI if that is healthier   | usual  | L1 L2           | MR P1 P2:0            | any after L1-P1       | L2-P1
a resend repeats neither end if it can            | both   | L1 L2           | MR P1 P2              | any after L1-P1       | L2-P2
an unused pair goes before an unused local NI     | both   | L1@a L2@b       | MR P1@a P2@b P3@b     | any after L1-P1,L2-P2 | L2-P3
the less used local NI of the unused pairs        | both   | L1@a L2@b       | MR P1@a P2@a P3@a P4@b P5@b | any after L1-P1,L1-P2,L2-P4 | L2-P5
the less used peer NI of the unused pairs         | usual  | L1 L2 L3        | MR P1 P2              | any after L2-P1,L3-P1,L1-P2 | L2-P2
resends take each pair once, then go round        | both   | L1 L2           | MR P1 P2              | any resending         | L1-P1 L2-P2 L1-P2 L2-P1 L1-P2 L2-P1 L1-P1 L2-P2
a resend to the wanted peer NI by another local NI| both   | L1 L2           | MR P1 P2              | any after L1-P1 to P1 | L2-P1
the wanted peer NI decides about the network      | both   | L1@a L2@b:400   | MR P1@a P3@a P2@b     | any after L1-P1 to P2 | L2-P2
a wanted peer NI that is unhealthy                | both   | L1 L2           | MR P1:999 P2          | any after L1-P1 to P1 | L2-P2
""")
  void shouldSelectFromAnySource(ArgumentsAccessor row) {
    check(row);
  }

  @ParameterizedTest(name = "B2C {0} ({1})")
  @CsvSource(
      delimiter = '|',
      textBlock =
"""
# rule                                            | preset | ours          | destination                               | request         | choices
no router ends it                                 | both   | L1            | MR D@z via -                              | any             | NO_ROUTE
all our interfaces have failed                    | both   | L1:x          | MR D@z via MR R1                          | any             | LOCAL_NI_DOWN
local NI by health                                | both   | L1:400 L2     | MR D@z via MR R1                          | any             | L2-R1 L2-R1
a resend takes another local NI                   | both   | L1 L2:400     | MR D@z via MR R1                          | any after L1-R1 | L2-R1
route by priority                                 | both   | L1            | MR D@z via MR p2 R1 via MR p1 S1          | any             | L1-S1 L1-S1
route by priority before hops                     | both   | L1            | MR D@z via MR p1 h0 R1 via MR p0 h9 S1    | any             | L1-S1 L1-S1
route by hops                                     | both   | L1            | MR D@z via MR h2 R1 via MR h1 S1          | any             | L1-S1 L1-S1
route by hops before health                       | both   | L1            | MR D@z via MR h2 R1 via MR h1 S1:1        | any             | L1-S1 L1-S1
route by health of the router                     | both   | L1            | MR D@z via MR R1:400 R2:400 via MR S1:0 S2 | any            | L1-S2 L1-S2
route by health of the pair                       | usual  | L1@a:400 L2@b | MR D@z via MR R1@a via MR S1@b:600        | any             | L2-S1 L2-S1
route by health of the router, not ours           | hld    | L1@a:400 L2@b | MR D@z via MR R1@a via MR S1@b:600        | any             | L1-R1 L1-R1
routes by round robin                             | both   | L1            | MR D@z via MR R1 via MR S1                | any             | L1-R1 L1-S1 L1-R1
round robin is of routers, not of their NIs       | both   | L1            | MR D@z via MR R1 R2 via MR S1             | any             | L1-R1 L1-S1 L1-R2 L1-S1 L1-R1
round robin of routers is not by credits          | both   | L1            | MR D@z via MR R1 via MR S1:c9             | any             | L1-R1 L1-S1 L1-R1
a router whose NIs have failed is skipped         | both   | L1            | MR D@z via MR p0 R1:x via MR p1 S1        | any             | L1-S1
a router that we do not reach is skipped          | both   | L1            | MR D@z via MR p0 R1@q via MR p1 S1        | any             | L1-S1
an NI that we do not reach makes no router good   | both   | L1            | MR D@z via MR R1:400 R2@q via MR S1:600   | any             | L1-S1 L1-S1
a router without health goes last                 | both   | L1            | MR D@z via MR p0 R1:0 via MR p1 S1:1      | any             | L1-S1 L1-S1
a router with some health does not                | both   | L1            | MR D@z via MR p0 R1:0 R2:1 via MR p1 S1   | any             | L1-R2 L1-R2
all routers without health: by priority           | both   | L1            | MR D@z via MR p1 R1:0 via MR p0 S1:0      | any             | L1-S1 L1-S1
a resend takes a worse route, then goes round     | both   | L1            | MR D@z via MR p0 R1 via MR p1 S1          | any resending   | L1-R1 L1-S1 L1-R1 L1-S1
a router with one rail keeps our interface        | both   | L1 L2         | MR D@z via NMR R1                         | any             | L1-R1 L1-R1
a router with one rail is used by its first NI    | both   | L1            | MR D@z via NMR R1:0 R2                    | any             | L1-R1 L1-R1
each router with one rail has its preferred NI    | both   | L1 L2         | MR D@z via NMR R1 via NMR S1              | any             | L1-R1 L2-S1 L1-R1 L2-S1
""")
  void shouldSelectFromAnySourceByRoutes(ArgumentsAccessor row) {
    check(row);
  }

  @ParameterizedTest(name = "B1D {0} ({1})")
  @CsvSource(
      delimiter = '|',
      textBlock =
"""
# rule                                            | preset | ours         | destination | request       | choices
the first choice is the healthiest, and kept      | both   | L1:400 L2 L3 | NMR P1      | any           | L2-P1 L2-P1 L1=1000 L2-P1
no local NI is healthy: the least unhealthy       | usual  | L1:0 L2:300  | NMR P1      | any           | L2-P1 L1=1000 L2-P1
no local NI is healthy: it is not used again      | hld    | L1:0 L2:300  | NMR P1      | any           | L2-P1 L1=1000 LOCAL_NI_UNHEALTHY
the peer NI is unhealthy at the first attempt     | both   | L1 L2        | NMR P1:0    | any           | L1-P1 L1-P1
the peer NI has failed                            | both   | L1 L2        | NMR P1:x P2 | any           | PEER_NI_FAILED
only the first NI of the peer is used             | both   | L1           | NMR P1 P2   | any           | L1-P1 L1-P1
the preferred NI is unhealthy at a first attempt  | usual  | L1 L2        | NMR P1      | any           | L1-P1 L1=0 L1-P1
a first attempt from an unhealthy one fails too   | hld    | L1 L2        | NMR P1      | any           | L1-P1 L1=999 LOCAL_NI_UNHEALTHY L1=1000 L1-P1
a resend to an unhealthy peer NI is made          | usual  | L1 L2        | NMR P1      | any resending | L1-P1 P1=0 L1-P1 L1-P1
a resend to an unhealthy peer NI fails            | hld    | L1 L2        | NMR P1      | any resending | L1-P1 P1=999 PEER_NI_UNHEALTHY P1=1000 L1-P1
the same by the parameter                         | usual nmr-unhealthy-used=0 | L1 L2 | NMR P1 | any resending | L1-P1 P1=999 PEER_NI_UNHEALTHY P1=1000 L1-P1
a resend from an unhealthy preferred NI is made   | usual  | L1 L2        | NMR P1      | any resending | L1-P1 L1=0 L1-P1 L1-P1
a resend from an unhealthy preferred NI fails     | hld    | L1 L2        | NMR P1      | any resending | L1-P1 L1=999 LOCAL_NI_UNHEALTHY L1=1000 L1-P1
a preferred NI that has failed is chosen anew     | usual  | L1 L2        | NMR P1      | any resending | L1-P1 L1=x L2-P1 L1=up L2-P1
a resend from a failed preferred NI fails         | hld    | L1 L2        | NMR P1      | any resending | L1-P1 L1=x LOCAL_NI_DOWN L1=up L1-P1
a first attempt chooses a failed one anew         | usual  | L1 L2        | NMR P1      | any           | L1-P1 L1=x L2-P1 L1=up L2-P1
a first attempt from a failed one fails           | hld    | L1 L2        | NMR P1      | any           | L1-P1 L1=x LOCAL_NI_DOWN L1=up L1-P1
a preferred NI that was removed is chosen anew    | both   | L1 L2        | NMR P1      | any           | L1-P1 L1=gone L2-P1 L1=back L2-P1
a resend chooses a removed one anew, if unhealthy | both   | L1 L2:300    | NMR P1      | any resending | L1-P1 L1=gone L2-P1
a peer NI that was removed is forgotten           | both   | L1 L2        | NMR P1      | any           | L1-P1 P1=gone L2-P1 L2-P1
a removed NI that is added again is not preferred | both   | L1 L2        | NMR P1      | any           | L1-P1 L1=gone L1=back L2-P1
a resend does not ask for a removed one that failed | hld  | L1 L2        | NMR P1      | any resending | L1-P1 L1=x L1=gone L2-P1
no interface of the peer                          | both   | L1           | NMR         | any           | NO_COMMON_NETWORK
a resend with no local NI left                    | both   | L1           | NMR P1      | any resending | L1-P1 L1=gone NO_LOCAL_NI
""")
  void shouldSelectFromAnySourceToAPeerWithOneRail(ArgumentsAccessor row) {
    check(row);
  }

  @ParameterizedTest(name = "B2D {0} ({1})")
  @CsvSource(
      delimiter = '|',
      textBlock =
"""
# rule                                             | preset | ours      | destination                       | request       | choices
no router ends it                                  | both   | L1        | NMR D@z via -                     | any           | NO_ROUTE
our interface is kept through every router         | both   | L1 L2     | NMR D@z via MR R1 via MR S1       | any           | L1-R1 L1-S1 L1-R1
the destination holds it, not the router           | both   | L1 L2     | NMR D@z via NMR R1 via NMR S1     | any           | L1-R1 R1=x L1-S1 L1-S1
a router out of its reach is skipped               | both   | L1@a L2@b | NMR D@z via MR R1@a via MR S1@b   | any           | L1-R1 L1-R1 L1-R1
it is chosen anew if it reaches no router          | both   | L1@a L2@b | NMR D@z via MR R1@a via MR S1@b   | any           | L1-R1 R1=x L2-S1 R1=up L2-S1
the router is unhealthy at the first attempt       | both   | L1        | NMR D@z via MR R1:0               | any           | L1-R1 L1-R1
a resend to an unhealthy router is made            | usual  | L1        | NMR D@z via MR R1                 | any resending | L1-R1 R1=0 L1-R1
a resend to an unhealthy router fails              | hld    | L1        | NMR D@z via MR R1                 | any resending | L1-R1 R1=999 PEER_NI_UNHEALTHY
a resend from an unhealthy preferred NI is made    | usual  | L1 L2     | NMR D@z via MR R1                 | any resending | L1-R1 L1=0 L1-R1
a resend from an unhealthy preferred NI fails      | hld    | L1 L2     | NMR D@z via MR R1                 | any resending | L1-R1 L1=999 LOCAL_NI_UNHEALTHY
a resend takes the same NI of the router           | hld    | L1 L2     | NMR D@z via MR R1 via MR S1       | any resending | L1-R1 L1-R1
a resend may take the next router                  | usual  | L1 L2     | NMR D@z via MR R1 via MR S1       | any resending | L1-R1 L1-S1 L1-R1
a resend fails if the NI of the router has failed  | hld    | L1 L2     | NMR D@z via MR R1 via MR S1       | any resending | L1-R1 R1=x PEER_NI_FAILED
a resend leaves a router that has failed           | usual  | L1 L2     | NMR D@z via MR R1 via MR S1       | any resending | L1-R1 R1=x L1-S1 L1-S1
a resend to a router with one rail, by the letter  | hld    | L1 L2     | MR D@z via NMR R1                 | any resending | L1-R1 R1=999 PEER_NI_UNHEALTHY
""")
  void shouldSelectFromAnySourceByRoutesToAPeerWithOneRail(ArgumentsAccessor row) {
    check(row);
  }

  @ParameterizedTest(name = "bound: {0} ({1})")
  @CsvSource(
      delimiter = '|',
      textBlock =
"""
# bound                             | preset                 | ours               | destination     | request              | choices
full and fair                       | usual                  | L1:999 L2          | MR P1           | any                  | L2-P1 L2-P1
all of fair                         | usual                  | L1:500 L2:999      | MR P1           | any                  | L1-P1 L2-P1 L1-P1
fair and poor                       | usual                  | L1:499 L2:500      | MR P1           | any                  | L2-P1 L2-P1
all of poor                         | usual                  | L1:1 L2:499        | MR P1           | any                  | L1-P1 L2-P1 L1-P1
poor and none                       | usual                  | L1:0 L2:1          | MR P1           | any                  | L2-P1 L2-P1
numbers by the letter               | hld                    | L1:998 L2:999      | MR P1           | any                  | L2-P1 L2-P1
equal numbers by the letter         | hld                    | L1:998 L2:998      | MR P1           | any                  | L1-P1 L2-P1 L1-P1
health, in the range                | both health-range=100  | L1:900 L2          | MR P1           | any                  | L1-P1 L2-P1 L1-P1
health, out of the range            | both health-range=100  | L1:899 L2          | MR P1           | any                  | L2-P1 L2-P1
health of the peer, in the range    | both health-range=100  | L1                 | MR P1:900 P2    | any                  | L1-P1 L1-P2 L1-P1
health of the peer, out of it       | both health-range=100  | L1                 | MR P1:899 P2    | any                  | L1-P2 L1-P2
a range is counted from the best    | both health-range=100  | L1:820 L2:910 L3   | MR P1           | any                  | L2-P1 L3-P1 L2-P1
healthy                             | both health-range=100  | L1                 | MR P1:900 P2    | L1 after L1-P1 to P1 | L1-P1
not healthy                         | both health-range=100  | L1                 | MR P1:899 P2    | L1 after L1-P1 to P1 | L1-P2
distance, below the range           | both distance-range=10 | L1:d9 L2:d0        | MR P1           | any                  | L1-P1 L2-P1 L1-P1
distance, at the range              | both distance-range=10 | L1:d10 L2:d0       | MR P1           | any                  | L1-P1 L2-P1 L1-P1
distance, above the range           | both distance-range=10 | L1:d11 L2:d10      | MR P1           | any                  | L2-P1 L2-P1
distances above the range           | both distance-range=10 | L1:d12 L2:d11      | MR P1           | any                  | L2-P1 L2-P1
""")
  void shouldKeepTheBound(ArgumentsAccessor row) {
    check(row);
  }

  @Test
  void shouldTakeTheConfigurationThatWasSetLast() {
    RailHealthConfig usual = RailHealthConfig.usual();
    SelectionRow row = new SelectionRow(usual, "L1:998 L2:999", "MR P1", "any");

    row.expect("L1-P1 L2-P1 L1-P1");
    row.config(RailHealthConfig.hld());

    row.expect("L2-P1 L2-P1");
  }

  @Test
  void shouldRefuseARouteBelowZero() {
    assertThatThrownBy(() -> new Route(null, -1, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("hops=-1, valid: 0 or more");
    assertThatThrownBy(() -> new Route(null, 0, -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("priority=-1, valid: 0 or more");
  }
}
