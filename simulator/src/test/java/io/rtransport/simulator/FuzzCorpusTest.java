package io.rtransport.simulator;

import io.rtransport.core.fuzz.FuzzReplay;
import java.util.List;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;

/** Every input of this module's corpora again: what fuzzing once found stays found. */
class FuzzCorpusTest {
  @TestFactory
  List<DynamicNode> shouldAgreeWithItsOracleOnEveryInputKept() throws Exception {
    return FuzzReplay.of(FuzzCorpusTest.class);
  }
}
