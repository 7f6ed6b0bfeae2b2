package io.rtransport.loadgen;

import io.rtransport.command.CommandTables;
import org.junit.jupiter.api.Test;

/** docs/reference/command-line.md says of these commands what they say of themselves. */
class LoadCommandLinePageTest {
  @Test
  void shouldShowTheOptionsOfEveryCommand() throws Exception {
    CommandTables.check(LoadCommandLinePageTest.class, LoadCommand.commandLine());
  }

  @Test
  void shouldHaveASectionOfEveryCommand() throws Exception {
    CommandTables.checkSections(LoadCommand.commandLine());
  }
}
