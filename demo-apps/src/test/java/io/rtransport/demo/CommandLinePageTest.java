package io.rtransport.demo;

import io.rtransport.command.CommandTables;
import org.junit.jupiter.api.Test;

/** docs/reference/command-line.md says of these commands what they say of themselves. */
class CommandLinePageTest {
  @Test
  void shouldShowTheOptionsOfEveryCommand() throws Exception {
    CommandTables.check(CommandLinePageTest.class, RtCommand.commandLine());
  }

  @Test
  void shouldHaveASectionOfEveryCommand() throws Exception {
    CommandTables.checkSections(RtCommand.commandLine());
  }
}
