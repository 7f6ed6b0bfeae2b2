package io.rtransport.command;

import io.rtransport.core.text.InvalidValueException;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * Handler that turns every failure into its output: exactly one line on stderr, and an exit status.
 * Bad input (an option, an address, a file named on the command line) is 2; work that failed is 1.
 * {@code RT_DEBUG=1} adds the stack trace of an unexpected exception.
 */
public final class CommandErrors implements IParameterExceptionHandler, IExecutionExceptionHandler {
  /** The work was done, and every check passed. */
  public static final int OK = 0;

  /** The work failed, or a check did not pass. */
  public static final int FAILED = 1;

  /** The command was called wrongly; nothing was done. */
  public static final int USAGE = 2;

  private final List<Class<? extends Exception>> foreseen;

  private CommandErrors(List<Class<? extends Exception>> foreseen) {
    this.foreseen = foreseen;
  }

  /**
   * Installs the handler in {@code commandLine}.
   *
   * @param foreseen exceptions, in addition to {@link CommandFailure}, whose message alone tells
   *     the user why the work failed
   */
  public static void handle(CommandLine commandLine, List<Class<? extends Exception>> foreseen) {
    CommandErrors errors = new CommandErrors(foreseen);
    commandLine.setParameterExceptionHandler(errors);
    commandLine.setExecutionExceptionHandler(errors);
  }

  @Override
  public int handleParseException(ParameterException e, String[] args) {
    Throwable refusal = e.getCause() instanceof InvalidValueException ? e.getCause() : e;
    return say(e.getCommandLine(), refusal.getMessage(), USAGE);
  }

  @Override
  public int handleExecutionException(Exception e, CommandLine command, ParseResult result) {
    if (e instanceof InvalidValueException) {
      return say(command, e.getMessage(), USAGE);
    }
    if (e instanceof CommandFailure || foreseen.stream().anyMatch(kind -> kind.isInstance(e))) {
      return say(command, e.getMessage(), FAILED);
    }
    if ("1".equals(System.getenv("RT_DEBUG"))) {
      e.printStackTrace(command.getErr());
    }
    return say(command, "unexpected " + e, FAILED);
  }

  private static int say(CommandLine command, String message, int status) {
    PrintWriter err = command.getErr();
    String line = oneLine(String.valueOf(message));
    err.println(command.getCommandSpec().qualifiedName() + ": " + line);
    err.flush();
    return status;
  }

  /**
   * Returns the message with each run of blanks and control characters, line ends included, as one
   * blank; empty for null.
   */
  public static String oneLine(String message) {
    return message == null ? "" : message.replaceAll("[\\s\\p{Cntrl}]+", " ").strip();
  }
}
