package io.rtransport.demo;

import io.rtransport.command.CommandFailure;
import io.rtransport.core.adp.AdpProfileJson;
import io.rtransport.core.adp.AdpSelection;
import io.rtransport.core.adp.RoceAcclRegister;
import io.rtransport.core.text.InvalidValueException;
import io.rtransport.core.text.Quantity;
import io.rtransport.netty.control.ControlClient;
import io.rtransport.netty.control.ProfileFile;
import io.rtransport.netty.control.RefusedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rt adp query} and {@code rt adp set}: the register of a running node. */
final class AdpControl {
  private AdpControl() {}

  /** Common part of both commands: where the node answers, and what its register shows. */
  abstract static class OfNode extends AdpCommand.Part {
    @Spec private CommandSpec spec;

    @Parameters(
        paramLabel = "PATH",
        description = "The node's control socket; see rt target --control.")
    private Path path;

    /** Asks the node. */
    abstract byte[] ask(Path socket) throws IOException;

    @Override
    final Object result() {
      try {
        return show(ask(path));
      } catch (RefusedException e) {
        throw new ParameterException(spec.commandLine(), e.getMessage());
      } catch (IOException e) {
        throw new CommandFailure("no node answers at " + path + ": " + e.getMessage());
      }
    }

    private Map<String, Object> show(byte[] register) {
      ByteBuffer words = ByteBuffer.wrap(register);
      int id = words.getInt(4) >>> 28 & RoceAcclRegister.PROFILE_ID_MAX;
      boolean isThere = (words.getInt(0) >>> 28 & 1) == 1;
      boolean isAdaptive = (words.getInt(4) & 1) == 1;
      String state = id == 0 ? "built in" : isThere ? "set" : "never set";
      out().println("adp_retx_profile_id  " + id + " (" + state + ")");
      out()
          .println(
              "roce_adp_retrans_en  "
                  + (isAdaptive ? "1" : "0 (no adaptation: always ack_timeout)"));
      Map<String, Object> profile = null;
      if (isThere) {
        AdpSelection shown = RoceAcclRegister.decode(register);
        out().print(AdpProfileJson.write(shown.profile()));
        profile = AdpProfileJson.toMap(shown.profile());
      }
      out().flush();
      int capabilities = words.getInt(8);
      Map<String, Object> result = new LinkedHashMap<>();
      result.put("profileId", id);
      result.put("state", state);
      result.put("roceAdpRetransEn", isAdaptive);
      result.put("maxRangeNum", capabilities >>> 28 & 7);
      result.put("maxId", capabilities >>> 24 & 7);
      result.put("baseTimeoutMinNs", capabilities & 0xFFFFF);
      result.put("profile", profile);
      result.put("hex", HexFormat.of().formatHex(register));
      return result;
    }
  }

  /** {@code rt adp query}. */
  @Command(
      name = "query",
      description = {
        "Prints what the ROCE_ACCL register of a running node shows: which profile its new connections take,",
        "whether they adapt, and the profile."
      },
      footer = {"", "Example: rt adp query /run/user/1000/rt.sock"})
  static final class Query extends OfNode {
    @Option(
        names = "--id",
        paramLabel = "N",
        description = "Another profile than the active one, 0..7; 0 is the built-in default.")
    private String id;

    @Override
    byte[] ask(Path socket) throws IOException {
      if (id == null) {
        return ControlClient.query(socket);
      }
      int profileId = (int) Quantity.count("--id", id, 0, RoceAcclRegister.PROFILE_ID_MAX);
      return ControlClient.query(socket, profileId);
    }
  }

  /** {@code rt adp set}. */
  @Command(
      name = "set",
      description = {
        "Sets the ROCE_ACCL register of a running node, for connections that it makes or accepts from then on:",
        "a profile, which becomes the active one, or adaptation alone, or what a dump says."
      },
      footer = {
        "",
        "Example: rt adp set /run/user/1000/rt.sock --profile wan",
        "         rt adp set /run/user/1000/rt.sock --retrans off"
      })
  static final class Set extends OfNode {
    @Option(
        names = "--profile",
        paramLabel = "NAME|FILE",
        description =
            "loopback, lan, lossy, wan, or a profile file, with its enable bit: what rt adp encode prints of it.")
    private String profile;

    @Option(
        names = "--id",
        paramLabel = "N",
        description = "adp_retx_profile_id of --profile, 1..7 (default: 1).")
    private String id;

    @Option(names = "--fixed", description = "With --profile: roce_adp_retrans_en = 0.")
    private boolean isFixed;

    @Option(
        names = "--retrans",
        paramLabel = "on|off",
        description = "roce_adp_retrans_en alone: whether there is adaptation.")
    private String retrans;

    @Option(
        names = "--hex",
        paramLabel = "HEX",
        description = "128 hexadecimal digits: what its select bits name.")
    private String hex;

    @Override
    byte[] ask(Path socket) throws IOException {
      return ControlClient.set(socket, register());
    }

    private byte[] register() {
      if (profile == null) {
        refuse("--id", id, "with --profile only");
        refuse("--fixed", isFixed ? "true" : null, "with --profile only");
      }
      if (hex != null) {
        refuse("--profile", profile, "not with --hex");
        refuse("--retrans", retrans, "not with --hex");
        return RoceAcclRegister.parseHex("--hex", hex);
      }
      if (retrans != null) {
        refuse("--profile", profile, "not with --retrans");
        return RoceAcclRegister.encode(Choice.of("--retrans", retrans, "on", "off").equals("on"));
      }
      if (profile == null) {
        throw new InvalidValueException("--profile", "", "needed, or --retrans, or --hex");
      }
      String idText = id == null ? "1" : id;
      int profileId = (int) Quantity.count("--id", idText, 1, RoceAcclRegister.PROFILE_ID_MAX);
      AdpSelection read = ProfileFile.selection("--profile", profile);
      AdpSelection whole = new AdpSelection(read.profile(), read.isAdaptive() && !isFixed);
      return RoceAcclRegister.encode(whole, profileId);
    }

    private static void refuse(String name, String value, String valid) {
      if (value != null) {
        throw new InvalidValueException(name, value, valid);
      }
    }
  }
}
