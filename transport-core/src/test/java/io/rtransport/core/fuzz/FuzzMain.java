package io.rtransport.core.fuzz;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Lets Jazzer loose on every target for a while, two at a time, and prints what it did; {@code
 * .ci/fuzz} starts it. Exit status 1 when something was found (then the input's file, its bytes and
 * the command that runs it again stand below the table), or when a target made fewer than {@value
 * FuzzRun#EXECUTIONS_MIN} executions. Corpus: inputs that are committed; inputs: those with what
 * was found now.
 *
 * <pre>
 *   --seconds N   for each target (20)          --jobs N     at a time (2)
 *   --target TEXT those whose name has it --keep keep what was learnt: the corpus anew, smallest
 *   inputs first
 *   --seed N of the walk: the same inputs in the same order, as far as the time goes (0: another
 *   walk every time)
 *   --fuzzer DIR  Jazzer's jars
 *   MODULE…       folders, compiled, each with its class path in target/fuzz.classpath
 * </pre>
 */
public final class FuzzMain {
  private int seconds = 20;
  private int jobs = 2;
  private long seed;
  private String only = "";
  private boolean isKeeping;
  private Path fuzzer;
  private final List<Path> modules = new ArrayList<>();

  private FuzzMain(String[] args) {
    for (int i = 0; i < args.length; i++) {
      switch (args[i]) {
        case "--seconds" -> seconds = Integer.parseInt(args[++i]);
        case "--jobs" -> jobs = Integer.parseInt(args[++i]);
        case "--seed" -> seed = Long.parseLong(args[++i]);
        case "--fuzzer" -> fuzzer = Path.of(args[++i]).toAbsolutePath();
        case "--target" -> only = args[++i];
        case "--keep" -> isKeeping = true;
        default -> modules.add(Path.of(args[i]).toAbsolutePath());
      }
    }
  }

  /** See the class. */
  public static void main(String[] args) throws Exception {
    System.exit(new FuzzMain(args).run() ? 0 : 1);
  }

  private boolean run() throws Exception {
    ExecutorService workers = Executors.newFixedThreadPool(jobs);
    List<Future<FuzzRun>> runs = new ArrayList<>();
    for (Path module : modules) {
      for (FuzzTarget target : FuzzTarget.in(module.resolve("target/test-classes"))) {
        if (target.simpleName().contains(only)) {
          FuzzRun run = new FuzzRun(module, target, fuzzer);
          runs.add(workers.submit(() -> fuzz(run)));
        }
      }
    }
    workers.shutdown();
    System.out.printf(
        "%-24s %12s %10s %10s %8s %8s %8s%n",
        "target", "executions", "a second", "coverage", "corpus", "inputs", "found");
    boolean isClean = !runs.isEmpty();
    List<String> findings = new ArrayList<>();
    for (Future<FuzzRun> each : runs) {
      FuzzRun run = each.get();
      System.out.println(run.row());
      isClean &= run.isClean();
      findings.addAll(run.findings());
    }
    findings.forEach(System.out::println);
    return isClean;
  }

  private FuzzRun fuzz(FuzzRun run) throws IOException, InterruptedException {
    run.fuzz(seconds, seed);
    if (isKeeping && run.isClean()) {
      run.keep();
    }
    return run;
  }
}
