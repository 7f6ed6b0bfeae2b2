package io.rtransport.core.fuzz;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * One target in a Jazzer process of its own: its corpus as files below target/fuzz, what Jazzer
 * said, and what it found.
 */
final class FuzzRun {
  private static final Pattern UNITS = Pattern.compile("stat::number_of_executed_units:\\s*(\\d+)");
  private static final Pattern COVERAGE = Pattern.compile("cov: (\\d+) ft: (\\d+) corp: (\\d+)");

  /**
   * An input that takes so long is a finding. The first has the fuzzer rewrite every class, which
   * takes a while beside others that compute.
   */
  private static final int TIMEOUT_SECONDS = 180;

  /**
   * Fewer executions say nothing of a target: on a machine that is busy, where rewriting classes
   * takes most of the time, it gets twice as much.
   */
  static final int EXECUTIONS_MIN = 200;

  private static final int ATTEMPTS_MAX = 3;

  private static final List<String> UNSEEN =
      List.of(
          "io.rtransport.core.fuzz.**",
          "io.rtransport.core.wire.SpecPacket",
          "io.rtransport.core.wire.RecordVectors",
          "io.rtransport.core.wire.VectorDecoder",
          "io.rtransport.core.wire.VectorEncoder",
          "io.rtransport.core.wire.Vectors");

  private static final String FINDING = "finding-";
  private static final int HEX_SHOWN_MAX = 8_192;

  /** A corpus is read by people too, and replayed by every test run. */
  private static final int KEPT_INPUTS_MAX = 150;

  private static final int KEPT_DIGITS_MAX = 60_000;

  private final Path module;
  private final FuzzTarget target;
  private final Path fuzzer;
  private final Path work;
  private final Path corpus;
  private final Path log;
  private long seconds;
  private int exitStatus = -1;
  private long executions;
  private String coverage = "-";
  private int kept;

  FuzzRun(Path module, FuzzTarget target, Path fuzzer) {
    this.module = module;
    this.target = target;
    this.fuzzer = fuzzer;
    this.work = module.resolve("target/fuzz").resolve(target.simpleName()).toAbsolutePath();
    this.corpus = work.resolve("corpus");
    this.log = work.resolve("jazzer.log");
  }

  void fuzz(int forSeconds, long seed) throws IOException, InterruptedException {
    delete(work);
    Files.createDirectories(corpus);
    for (byte[] input : target.inputs()) {
      Files.write(corpus.resolve(String.format("kept-%04d", kept++)), input);
    }
    seconds = forSeconds;
    attempt(seed);
    for (int attempts = 1; exitStatus == 0 && isTooFew() && attempts < ATTEMPTS_MAX; attempts++) {
      seconds *= 2;
      attempt(seed);
    }
  }

  /** One process, from what the corpus has by now. */
  private void attempt(long seed) throws IOException, InterruptedException {
    exitStatus = jazzer(log, "-seed=" + seed, "-max_total_time=" + seconds, corpus.toString());
    String said = Files.readString(log);
    Matcher units = UNITS.matcher(said);
    executions = units.find() ? Long.parseLong(units.group(1)) : 0;
    for (Matcher line = COVERAGE.matcher(said); line.find(); ) {
      coverage = line.group(1);
    }
  }

  private int jazzer(Path output, String... more) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    Path classes = module.resolve("target/classes");
    Path tests = module.resolve("target/test-classes");
    String others = Files.readString(module.resolve("target/fuzz.classpath")).strip();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of("-ea", "-Xmx768m", "-XX:+UseSerialGC", "-XX:-OmitStackTraceInFastThrow"));
    command.add("-XX:TieredStopAtLevel=1"); // in so short a life the second compiler costs more
    String path = String.join(File.pathSeparator, tests + "", classes + "", others, fuzzer + "/*");
    command.addAll(List.of("-cp", path));
    command.add("com.code_intelligence.jazzer.Jazzer");
    command.add("--target_class=" + target.className());
    command.add("--instrumentation_includes=io.rtransport.**");
    command.add("--custom_hook_includes=io.rtransport.**"); // not of libraries that an oracle asks
    // What helps an oracle is no news to the fuzzer, and costs it time.
    command.add(
        "--instrumentation_excludes=" + String.join(":", UNSEEN) + ":" + target.className());
    command.add("--reproducer_path=" + work);
    command.add("-artifact_prefix=" + work.resolve(FINDING));
    command.addAll(List.of("-print_final_stats=1", "-rss_limit_mb=3000", "-max_len=4096"));
    // libFuzzer's own account of thousands of features took two thirds of the time of a target that
    // goes through a whole connection.
    command.addAll(List.of("-entropic=0", "-reduce_inputs=0"));
    command.add("-timeout=" + TIMEOUT_SECONDS);
    command.add("-report_slow_units=" + TIMEOUT_SECONDS);
    command.addAll(List.of(more));
    Process process =
        new ProcessBuilder(command)
            .directory(module.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    return process.waitFor();
  }

  boolean isClean() {
    return exitStatus == 0 && !isTooFew();
  }

  private boolean isTooFew() {
    return executions < EXECUTIONS_MIN;
  }

  String row() throws IOException {
    return String.format(
        Locale.ROOT,
        "%-24s %,12d %,10d %10s %8d %8d %8d",
        target.simpleName(),
        executions,
        executions / Math.max(1, seconds),
        coverage,
        kept,
        files(corpus, "").size(),
        files(work, FINDING).size());
  }

  /** What a person needs to see it again. */
  List<String> findings() throws IOException {
    List<String> lines = new ArrayList<>();
    for (Path file : files(work, FINDING)) {
      String hex = HexFormat.of().formatHex(Files.readAllBytes(file));
      lines.add("\n" + target.simpleName() + " found " + file);
      lines.add(
          "  again: mvn -q -B -ntp -pl " + module.getFileName() + " -am test -Dtest='*CorpusTest'");
      lines.add(
          "           -Dsurefire.failIfNoSpecifiedTests=false -Drt.fuzz.target="
              + target.simpleName());
      lines.add("           -Drt.fuzz.input=" + file);
      lines.add(
          "  keep:  the line below in src/test/resources/fuzz/" + target.className() + ".hex");
      lines.add(hex.length() <= HEX_SHOWN_MAX ? hex : hex.length() / 2 + " bytes, see the file");
    }
    if (!isClean() && lines.isEmpty()) {
      String what =
          exitStatus == 0 ? " made too few executions: " + executions : " did not run to its end:";
      lines.add("\n" + target.simpleName() + what);
    }
    if (!isClean()) {
      List<String> said = Files.exists(log) ? Files.readAllLines(log) : List.of();
      said.stream()
          .filter(
              line ->
                  line.contains("Exception") || line.contains("Error") || line.contains("at io.rt"))
          .limit(25)
          .forEach(line -> lines.add("  " + line));
    }
    return lines;
  }

  /**
   * Writes the corpus anew: as few and as small inputs as cover the same, the comments of the old
   * file above them.
   */
  void keep() throws IOException, InterruptedException {
    Path merged = Files.createDirectories(work.resolve("merged"));
    jazzer(work.resolve("merge.log"), "-merge=1", merged.toString(), corpus.toString());
    Path source = module.resolve("src/test/resources/fuzz/" + target.className() + ".hex");
    List<String> lines = new ArrayList<>();
    List<String> old = Files.readAllLines(source);
    // What stands before the first blank line was written by people, and stays as it is.
    int kept = old.indexOf("");
    lines.addAll(old.subList(0, kept < 0 ? old.size() : kept));
    lines.add("");
    List<String> inputs = new ArrayList<>();
    for (Path file : files(merged, "")) {
      inputs.add(HexFormat.of().formatHex(Files.readAllBytes(file)));
    }
    inputs.removeAll(lines);
    inputs.removeIf(String::isEmpty);
    inputs.sort(Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder()));
    int digits = 0;
    for (String input : inputs.subList(0, Math.min(KEPT_INPUTS_MAX, inputs.size()))) {
      digits += input.length();
      if (digits <= KEPT_DIGITS_MAX) {
        lines.add(input);
      }
    }
    Files.write(source, lines);
  }

  private static List<Path> files(Path folder, String prefix) throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> all = Files.list(folder)) {
      return all.filter(f -> f.getFileName().toString().startsWith(prefix)).sorted().toList();
    }
  }

  private static void delete(Path folder) throws IOException {
    if (Files.exists(folder)) {
      try (Stream<Path> all = Files.walk(folder)) {
        for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(each);
        }
      }
    }
  }
}
