package io.rtransport.demo;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.util.Version;
import io.rtransport.command.CommandErrors;
import io.rtransport.command.SocketKind;
import io.rtransport.core.wire.ClearHeaderFlyweight;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code rt version}. */
@Command(
    name = "version",
    description = "Versions, and what this machine offers.",
    footer = {"", "Example: rt version --json version.json"})
final class VersionCommand implements Callable<Integer> {
  @Mixin private CommonOptions common;

  @Override
  public Integer call() throws IOException {
    boolean canSegment =
        Epoll.isAvailable() && EpollDatagramChannel.isSegmentedDatagramPacketSupported();
    List<String> transports = SocketKind.available().stream().map(SocketKind::text).toList();
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("version", version());
    result.put("wireVersion", ClearHeaderFlyweight.VERSION);
    result.put("netty", nettyVersion());
    result.put("java", System.getProperty("java.runtime.version"));
    result.put("os", System.getProperty("os.name") + " " + System.getProperty("os.version"));
    result.put("transports", transports);
    result.put("gso", canSegment);
    result.put("gro", canSegment);
    var json = common.json();
    PrintWriter out = common.out();
    out.println("RT " + version() + ", wire version " + ClearHeaderFlyweight.VERSION);
    out.println(
        "Netty " + nettyVersion() + ", Java " + result.get("java") + ", " + result.get("os"));
    out.println(
        "transports: "
            + String.join(", ", transports)
            + "; GSO "
            + word(canSegment)
            + ", GRO "
            + word(canSegment));
    out.flush();
    json.writeJson(result);
    return CommandErrors.OK;
  }

  /** Returns the version in the jar's manifest. A program started from classes has none. */
  private static String version() {
    String version = VersionCommand.class.getPackage().getImplementationVersion();
    return version == null ? "(not packaged)" : version;
  }

  private static String nettyVersion() {
    Version transport = Version.identify().get("netty-transport");
    return transport == null ? "unknown" : transport.artifactVersion();
  }

  private static String word(boolean isThere) {
    return isThere ? "yes" : "no";
  }
}
