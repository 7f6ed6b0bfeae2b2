package io.rtransport.demo;

import picocli.CommandLine.Command;

/** {@code rt version}. */
@Command(name = "version", description = "Versions and what this machine offers.")
final class VersionCommand implements Runnable {
  @Override
  public void run() {}
}
