package io.rtransport.loadgen;

import io.rtransport.core.text.InvalidValueException;
import io.rtransport.loadgen.rig.LoadFailure;
import java.io.IOException;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * Turns a failure into what the user sees: one line on stderr, and 2 for bad input or 1 for work
 * that failed.
 */
final class LoadErrors implements IParameterExceptionHandler, IExecutionExceptionHandler {
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
    if (e instanceof LoadFailure || e instanceof IOException) {
      return say(command, e.getMessage(), FAILED);
    }
    if ("1".equals(System.getenv("RT_DEBUG"))) {
      e.printStackTrace(command.getErr());
    }
    return say(command, "unexpected " + e, FAILED);
  }

  private static int say(CommandLine command, String message, int status) {
    PrintWriter err = command.getErr();
    String line = String.valueOf(message).replaceAll("[\\s\\p{Cntrl}]+", " ").strip();
    err.println(command.getCommandSpec().qualifiedName() + ": " + line);
    err.flush();
    return status;
  }
}
