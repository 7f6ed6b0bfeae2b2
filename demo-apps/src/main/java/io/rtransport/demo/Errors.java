package io.rtransport.demo;

import io.rtransport.core.text.InvalidValueException;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * The one place where a failure becomes what the user sees: exactly one line on stderr, and an exit
 * status. Bad input (an option, an address, a file named on the command line) is 2; work that
 * failed is 1. {@code RT_DEBUG=1} adds the stack trace of what nobody foresaw.
 */
final class Errors implements IParameterExceptionHandler, IExecutionExceptionHandler {
  static final int OK = 0;
  static final int FAILED = 1;
  static final int USAGE = 2;

  @Override
  public int handleParseException(ParameterException e, String[] args) {
    return say(e.getCommandLine(), e.getMessage(), USAGE);
  }

  @Override
  public int handleExecutionException(Exception e, CommandLine command, ParseResult result) {
    if (e instanceof InvalidValueException) {
      return say(command, e.getMessage(), USAGE);
    }
    if (e instanceof CommandFailure) {
      return say(command, e.getMessage(), FAILED);
    }
    if ("1".equals(System.getenv("RT_DEBUG"))) {
      e.printStackTrace(command.getErr());
    }
    return say(command, "unexpected " + e, FAILED);
  }

  private static int say(CommandLine command, String message, int status) {
    PrintWriter err = command.getErr();
    err.println(command.getCommandSpec().qualifiedName() + ": " + oneLine(message));
    err.flush();
    return status;
  }

  /**
   * The message with every run of blanks and control characters, line ends included, as one blank.
   */
  static String oneLine(String message) {
    return message == null ? "" : message.replaceAll("[\\s\\p{Cntrl}]+", " ").strip();
  }
}
