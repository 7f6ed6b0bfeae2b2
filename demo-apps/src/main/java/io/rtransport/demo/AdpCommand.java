package io.rtransport.demo;

import io.rtransport.command.OutputFile;
import io.rtransport.core.adp.AdpParameters;
import io.rtransport.core.adp.AdpProfile;
import io.rtransport.core.adp.AdpProfileJson;
import io.rtransport.core.adp.AdpSelection;
import io.rtransport.core.adp.AdpTimeline;
import io.rtransport.core.adp.RoceAcclRegister;
import io.rtransport.core.text.Quantity;
import io.rtransport.netty.control.ProfileFile;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code rt adp}: explains ADP profiles, and reads and writes their register. This class reads the
 * options; the core decides.
 */
@Command(
    name = "adp",
    description =
        "Explains adaptive retransmission profiles, and reads and writes their register, also a running node's.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      AdpCommand.Explain.class,
      AdpCommand.Encode.class,
      AdpCommand.Decode.class,
      AdpControl.Query.class,
      AdpControl.Set.class
    },
    footer = {"", "Example: rt adp explain --profile lan"})
final class AdpCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help.")
  private boolean help;

  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }

  /** Common part of its commands. */
  abstract static class Part implements Runnable {
    @Spec private CommandSpec spec;

    @Option(
        names = {"-h", "--help"},
        usageHelp = true,
        description = "Shows this help.")
    private boolean help;

    @Option(
        names = "--json",
        paramLabel = "FILE",
        description = "Writes the result as JSON to FILE.")
    private Path json;

    final PrintWriter out() {
      return spec.commandLine().getOut();
    }

    @Override
    public final void run() {
      OutputFile file = OutputFile.of("--json", json);
      file.writeJson(result());
    }

    /** Does the work, prints it, and returns it for JSON. */
    abstract Object result();
  }

  /** {@code rt adp explain}. */
  @Command(
      name = "explain",
      description = {
        "Prints the timeline of consecutive timeouts until the total, and how progress walks it back.",
        "With --events: drives the timer by T (timeout) and P (progress) and prints each step."
      },
      footer = {
        "",
        "Example: rt adp explain --profile wan --ack-timeout 18 --svg wan.svg",
        "         rt adp explain --profile my.json --initial-exponent 4 --events TTTP --json steps.json"
      })
  static final class Explain extends Part {
    /** Most timeouts of a timeline. A longer one would not reach its total in useful time. */
    private static final int TIMEOUTS_MAX = 10_000;

    private static final long FLOOR_NS_MAX = 60_000_000_000L;

    @Option(
        names = "--profile",
        required = true,
        paramLabel = "NAME|FILE",
        description =
            "loopback, lan, lossy, wan, or a profile file (JSON, properties, or hexadecimal digits).")
    private String profile;

    @Option(
        names = "--initial-exponent",
        paramLabel = "N",
        description = "First exponent, of the profile's initial range (default: its lowest).")
    private String initialExponent;

    @Option(
        names = "--events",
        paramLabel = "TTPTP...",
        description = "Timeouts (T) and progress (P), in turn.")
    private String events;

    @Option(
        names = "--ack-timeout",
        paramLabel = "n",
        defaultValue = "14",
        description =
            "Cap of every value, 4.096 us x 2^n, 0..31, 0 = none (default: ${DEFAULT-VALUE}).")
    private String ackTimeout;

    @Option(
        names = "--retry-count",
        paramLabel = "n",
        defaultValue = "7",
        description =
            "Factor of the total if the profile's qpTotalTimeout is true, 0..7 (default: ${DEFAULT-VALUE}).")
    private String retryCount;

    @Option(
        names = "--extended-retry-count",
        paramLabel = "n",
        defaultValue = "0",
        description = "Replaces --retry-count if above 0, 0..255 (default: ${DEFAULT-VALUE}).")
    private String extendedRetryCount;

    @Option(
        names = "--floor",
        paramLabel = "D",
        defaultValue = "0",
        description =
            "Shows the timeline above a floor as of a measured round trip, doubling up to 1 s (default: none, strict).")
    private String floor;

    @Option(
        names = "--fixed",
        description =
            "Without adaptation, as roce_adp_retrans_en = 0 has it: always --ack-timeout; a profile file may say so too.")
    private boolean isFixed;

    @Option(
        names = "--svg",
        paramLabel = "FILE",
        description = "Draws it, as one SVG document that needs nothing else.")
    private Path svg;

    @Override
    Object result() {
      OutputFile drawing = OutputFile.of("--svg", svg);
      AdpSelection selection = ProfileFile.selection("--profile", profile);
      AdpProfile loaded = selection.profile();
      long floorNs = Quantity.durationNs("--floor", floor, 0, FLOOR_NS_MAX);
      AdpParameters parameters = selection.parameters(parameters().withStrictProfile(floorNs == 0));
      int first = initialExponent(loaded);
      String driven = events == null ? "T".repeat(TIMEOUTS_MAX) : events;
      AdpTimeline timeline = AdpTimeline.drive(loaded, parameters, first, driven, floorNs);
      AdpTables tables = new AdpTables(out());
      tables.printHeader(profile, loaded, parameters, first, timeline.totalNs(), floorNs);
      List<AdpTimeline.Step> wayBack = List.of();
      if (events == null) {
        wayBack = AdpTimeline.wayBack(loaded, parameters, first, timeline);
        tables.printTimeouts(timeline);
        tables.printWayBack(wayBack);
      } else {
        tables.printSteps(timeline);
      }
      if (drawing.isAskedFor()) {
        drawing.write(AdpSvg.draw(shortName(profile), loaded, parameters, timeline, wayBack));
      }
      return timeline.toMap();
    }

    /** Returns a profile's name for people: without the directories of its file. */
    private static String shortName(String nameOrFile) {
      Path last = Path.of(nameOrFile).getFileName();
      return last == null ? nameOrFile : last.toString();
    }

    private AdpParameters parameters() {
      return AdpParameters.DEFAULT
          .withAckTimeout(
              (int) Quantity.count("--ack-timeout", ackTimeout, 0, AdpParameters.ACK_TIMEOUT_MAX))
          .withRetryCount(
              (int) Quantity.count("--retry-count", retryCount, 0, AdpParameters.RETRY_COUNT_MAX))
          .withExtendedRetryCount(
              (int)
                  Quantity.count(
                      "--extended-retry-count",
                      extendedRetryCount,
                      0,
                      AdpParameters.EXTENDED_RETRY_COUNT_MAX))
          .withAdaptive(!isFixed);
    }

    private int initialExponent(AdpProfile loaded) {
      return initialExponent == null
          ? loaded.initLowBound()
          : (int)
              Quantity.count(
                  "--initial-exponent",
                  initialExponent,
                  loaded.initLowBound(),
                  loaded.initHighBound());
    }
  }

  /** {@code rt adp encode}. */
  @Command(
      name = "encode",
      description =
          "Prints the 64 bytes of ROCE_ACCL that set a profile, as one line of hexadecimal digits.",
      footer = {"", "Example: rt adp encode --profile lan"})
  static final class Encode extends Part {
    @Option(
        names = "--profile",
        required = true,
        paramLabel = "NAME|FILE",
        description = "loopback, lan, lossy, wan, or a profile file.")
    private String profile;

    @Option(
        names = "--id",
        paramLabel = "N",
        defaultValue = "1",
        description = "adp_retx_profile_id, 1..7 (default: ${DEFAULT-VALUE}).")
    private String id;

    @Option(names = "--fixed", description = "With roce_adp_retrans_en = 0: no adaptation.")
    private boolean isFixed;

    @Override
    Object result() {
      int profileId = (int) Quantity.count("--id", id, 1, RoceAcclRegister.PROFILE_ID_MAX);
      AdpSelection read = ProfileFile.selection("--profile", profile);
      AdpSelection selection = new AdpSelection(read.profile(), read.isAdaptive() && !isFixed);
      String hex = HexFormat.of().formatHex(RoceAcclRegister.encode(selection, profileId));
      out().println(hex);
      return Map.of("hex", hex);
    }
  }

  /** {@code rt adp decode}. */
  @Command(
      name = "decode",
      description = "Prints the profile file of a ROCE_ACCL dump.",
      footer = {"", "Example: rt adp decode --hex $(rt adp encode --profile lan)"})
  static final class Decode extends Part {
    @Option(
        names = "--hex",
        required = true,
        paramLabel = "HEX",
        description = "128 hexadecimal digits.")
    private String hex;

    @Override
    Object result() {
      AdpSelection decoded = RoceAcclRegister.decode(RoceAcclRegister.parseHex("--hex", hex));
      out().print(AdpProfileJson.write(decoded));
      out().flush();
      return AdpProfileJson.toMap(decoded);
    }
  }
}
