import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

/**
 * Where rt's time goes: runs {@code ./rt load} for each case with Flight Recorder in both
 * processes, and writes one flame graph of their event loops a case (SVG, no script inside), and
 * the shares in Markdown.
 *
 * <pre>
 *   java loadgen/scripts/Flame.java DIRECTORY [CASE…] [-- OPTIONS OF RT LOAD]
 * </pre>
 *
 * From the top of the repository, on a machine that does nothing else. Exit status 2: wrong
 * arguments; 1: a run failed, or there was nothing in its recordings.
 *
 * <p>Own code, for what converts recordings into flame graphs (async-profiler's jfr-converter, JMC)
 * writes HTML, or asks for more than a JDK.
 *
 * <p>The JDK that runs this records too. <b>From 25 on, on Linux</b>, each sample is 5 ms of
 * processor time ({@code jdk.CPUTimeSample}), the kernel's included, and one whose stack could not
 * be walked says so. <b>Before that</b> it is a tick of 10 ms of time awake, on the processor or
 * waiting for it, and there is no trace of those whose stack could not be walked: much of what
 * HotSpot has hand-written code for, copying and checksums, is missing. At each tick all threads
 * that run Java are looked at, but one only of those in a native method, in turns. A thread that
 * never leaves one, such as that which waits for the process's input, has one of each of these
 * turns: so a native sample of the event loop stands for as many ticks as there were for each
 * sample of that thread.
 */
public class Flame {
  static final Map<String, String> CASES = new TreeMap<>();

  static {
    CASES.put("push-64", "--op push --size 64 --rate 0 --mtu 1408");
    CASES.put("push-1k", "--op push --size 1k --rate 0 --mtu 1408");
    CASES.put("push-1m", "--op push --size 1m --rate 0 --mtu 1408");
    CASES.put("echo-64", "--op echo --size 64 --in-flight 1 --mtu 1408");
  }

  static final String RUN = "--warmup 20s --duration 26s";
  static final boolean BY_PROCESSOR_TIME =
      Runtime.version().feature() >= 25 && System.getProperty("os.name").equals("Linux");
  /** From the start of the JVM: the warm-up, and what comes before it. */
  static final Duration DELAY = Duration.ofSeconds(23);
  static final Duration RECORDED = Duration.ofSeconds(20);
  static final String LOOP_THREADS = "rt-load-io";
  static final double SHARE_MIN = 0.003;
  static final int SAMPLES_MIN = 2; // of a frame that is drawn: one is chance

  /** What a frame's class belongs to. */
  enum Room {
    CORE("core", "#7fb2e5", "io.rtransport.core."),
    TRANSPORT("transport-netty", "#6fcfbf", "io.rtransport.netty."),
    LOADGEN("loadgen", "#c9a7e8", "io.rtransport.loadgen."),
    NETTY("netty", "#a5d67f", "io.netty."),
    JDK("jdk", "#d9d4c5", ""),
    NATIVE("native", "#f2a65a", null);

    final String title;
    final String colour;
    final String prefix;

    Room(String title, String colour, String prefix) {
      this.title = title;
      this.colour = colour;
      this.prefix = prefix;
    }
  }

  /** A method in a stack, with what was called from there. */
  static final class Node {
    final String name;
    final Room room;
    final Map<String, Node> callees = new TreeMap<>();
    double ticks;
    double ownTicks;

    Node(String name, Room room) {
      this.name = name;
      this.room = room;
    }
  }

  /** The event loop of one process. */
  static final class Side {
    String title;
    Node root = new Node("all", Room.JDK);
    final Map<Room, Double> ownTicks = new EnumMap<>(Room.class);
    final Map<String, Double> ownTicksByMethod = new HashMap<>();
    int samples;
    int safepointSamples;
    long lostSamples;
    double user;
    double system;

    boolean isDrawn(Node node) {
      return node.ticks >= SAMPLES_MIN && share(node.ticks) >= SHARE_MIN;
    }

    double share(double ticks) {
      return ticks / root.ticks;
    }
  }

  /** One line for the user. */
  static final class Failure extends Exception {
    Failure(String message) {
      super(message);
    }
  }

  public static void main(String[] args) throws Exception {
    List<String> own = List.of(args);
    List<String> passed = List.of();
    int dashes = own.indexOf("--");
    if (dashes >= 0) {
      passed = own.subList(dashes + 1, own.size());
      own = own.subList(0, dashes);
    }
    List<String> names = own.isEmpty() ? own : own.subList(1, own.size());
    if (own.isEmpty() || own.get(0).startsWith("-") || !CASES.keySet().containsAll(names)) {
      System.err.println(
          "usage: java loadgen/scripts/Flame.java DIRECTORY [" + String.join("|", CASES.keySet()) + "]… [-- OPTIONS OF RT LOAD]");
      System.exit(2);
    }
    try {
      if (!Files.isExecutable(Path.of("rt"))) {
        throw new Failure("no ./rt here: start it from the top of the repository");
      }
      Path directory = Files.createDirectories(Path.of(own.get(0)));
      StringBuilder rooms = new StringBuilder("| % of the loop's time | samples (biased, lost) |");
      Arrays.stream(Room.values()).forEach(room -> rooms.append(' ').append(room.title).append(" |"));
      rooms.append(" on a processor | in the system, by its clock |\n|---|---|---|---|---|---|---|---|---|---|\n");
      StringBuilder methods = new StringBuilder("| case | most of it in these methods themselves, % |\n|---|---|\n");
      for (String name : names.isEmpty() ? CASES.keySet() : names) {
        System.err.println(name);
        List<Side> sides = record(name, passed);
        Files.writeString(directory.resolve("flame-" + name + ".svg"), svg(name, sides));
        for (Side side : sides) {
          rooms.append(row(name, side));
          methods.append(methods(name, side));
        }
      }
      System.out.print(rooms + "\n" + methods);
    } catch (Failure | IOException e) {
      System.err.println("flame: " + e.getMessage());
      System.exit(1);
    }
  }

  static List<Side> record(String name, List<String> passed) throws Exception {
    Path scratch = Files.createTempDirectory("rt-flame");
    try {
      if (scratch.toString().matches(".*[\\s,].*")) {
        throw new Failure("the directory for temporary files has a blank or a comma in its name: " + scratch);
      }
      Path settings = Files.writeString(scratch.resolve("settings.jfc"), settings());
      List<String> command = new ArrayList<>(List.of("./rt", "load"));
      command.addAll(List.of((CASES.get(name) + " " + RUN).split(" ")));
      command.addAll(passed);
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .redirectOutput(scratch.resolve("output").toFile())
              .redirectError(ProcessBuilder.Redirect.INHERIT);
      builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
      // The attribution of compiled code is to the last safepoint before it without
      // DebugNonSafepoints.
      builder
          .environment()
          .merge(
              "RT_JAVA_OPTS",
              "-XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints -Xlog:jfr+startup=off -XX:FlightRecorderOptions=stackdepth=256"
                  + " -XX:StartFlightRecording=settings=" + settings + ",filename=" + scratch + ",delay=" + DELAY.toSeconds() + "s",
              (theirs, ours) -> theirs + " " + ours);
      int status = builder.start().waitFor();
      if (status != 0) {
        throw new Failure(name + ": the run failed with exit status " + status);
      }
      List<Side> sides = new ArrayList<>();
      try (Stream<Path> files = Files.list(scratch)) {
        for (Path file : files.filter(f -> f.toString().endsWith(".jfr")).toList()) {
          sides.add(read(file));
        }
      }
      if (sides.size() != 2 || sides.stream().anyMatch(side -> side.root.ticks == 0)) {
        throw new Failure(name + ": no samples of the event loops of both processes");
      }
      sides.sort(Comparator.comparing(side -> side.title));
      return sides;
    } finally {
      try (Stream<Path> files = Files.list(scratch)) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
      }
      Files.delete(scratch);
    }
  }

  static String settings() {
    StringBuilder text = new StringBuilder("<?xml version='1.0' encoding='UTF-8'?>\n<configuration version='2.0'>\n");
    setting(text, "JVMInformation", "period", "beginChunk");
    setting(text, "ThreadCPULoad", "period", "1 s");
    if (BY_PROCESSOR_TIME) {
      setting(text, "CPUTimeSample", "throttle", "5 ms");
      setting(text, "CPUTimeSamplesLost", "stackTrace", "false");
    } else {
      setting(text, "ExecutionSample", "period", "10 ms");
      setting(text, "NativeMethodSample", "period", "10 ms");
    }
    return text + "</configuration>\n";
  }

  static void setting(StringBuilder text, String event, String name, String value) {
    text.append("<event name='jdk.").append(event).append("'><setting name='enabled'>true</setting><setting name='");
    text.append(name).append("'>").append(value).append("</setting></event>\n");
  }

  /** What the event loops of one recording did in its first {@link #RECORDED}. */
  static Side read(Path file) throws IOException {
    List<RecordedEvent> events = RecordingFile.readAllEvents(file);
    events.sort(Comparator.comparing(RecordedEvent::getStartTime));
    Side side = new Side();
    Instant end = null;
    Map<Long, Integer> nativeByThread = new HashMap<>();
    List<RecordedEvent> samples = new ArrayList<>();
    for (RecordedEvent event : events) {
      String type = event.getEventType().getName();
      boolean isSample = type.matches("jdk\\.(CPUTime|Execution|NativeMethod)Sample");
      if (isSample && end == null) {
        end = event.getStartTime().plus(RECORDED);
      }
      if (type.equals("jdk.JVMInformation")) {
        side.title = event.getString("javaArguments").contains("LoadCommand serve") ? "server" : "client";
      } else if (end == null || event.getStartTime().isAfter(end)) {
        continue;
      } else if (isSample) {
        samples.add(event);
        if (type.equals("jdk.NativeMethodSample") && thread(event) != null) {
          nativeByThread.merge(thread(event).getId(), 1, Integer::sum);
        }
      } else if (isLoop(thread(event)) && type.equals("jdk.ThreadCPULoad")) {
        side.user += event.getFloat("user");
        side.system += event.getFloat("system");
      } else if (isLoop(thread(event)) && type.equals("jdk.CPUTimeSamplesLost")) {
        side.lostSamples += event.getLong("lostSamples");
      }
    }
    // Each tick with somebody in a native method has one native sample; the thread that always is
    // tells how many turns there were.
    double ticks = nativeByThread.values().stream().mapToInt(Integer::intValue).sum();
    double turns = nativeByThread.values().stream().mapToInt(Integer::intValue).max().orElse(1);
    for (RecordedEvent sample : samples) {
      if (isLoop(thread(sample))) {
        add(side, sample, sample.getEventType().getName().equals("jdk.NativeMethodSample") ? ticks / turns : 1);
      }
    }
    while (side.root.callees.size() == 1 && side.root.ownTicks == 0) {
      // What all have in common says nothing.
      side.root = side.root.callees.values().iterator().next();
    }
    return side;
  }

  static RecordedThread thread(RecordedEvent event) {
    return event.getThread(event.hasField("sampledThread") ? "sampledThread" : "eventThread");
  }

  static boolean isLoop(RecordedThread thread) {
    return thread != null && thread.getJavaName() != null && thread.getJavaName().startsWith(LOOP_THREADS);
  }

  static void add(Side side, RecordedEvent sample, double ticks) {
    if (sample.getStackTrace() == null || sample.getStackTrace().getFrames().isEmpty()) {
      side.lostSamples++;
      return;
    }
    List<RecordedFrame> frames = sample.getStackTrace().getFrames();
    if (!BY_PROCESSOR_TIME && isWait(frames.get(0).getMethod())) {
      return;
    }
    side.samples++;
    side.safepointSamples += BY_PROCESSOR_TIME && sample.getBoolean("biased") ? 1 : 0;
    Node node = side.root;
    node.ticks += ticks;
    for (int i = frames.size() - 1; i >= 0; i--) {
      RecordedMethod method = frames.get(i).getMethod();
      String type = method.getType().getName().replaceFirst("\\$\\$Lambda.*", "\\$\\$Lambda").replaceFirst("[/.+]0x[0-9a-f]+$", "");
      String name = type + "." + method.getName();
      // HotSpot has code of its own for the other native methods that matter, such as Unsafe's.
      boolean isSystem = Modifier.isNative(method.getModifiers()) && type.matches("(io\\.netty|sun\\.nio)\\..*");
      node = node.callees.computeIfAbsent(name, n -> new Node(n, isSystem ? Room.NATIVE : room(n)));
      node.ticks += ticks;
    }
    node.ownTicks += ticks;
    side.ownTicks.merge(node.room, ticks, Double::sum);
    side.ownTicksByMethod.merge(shortName(node.name), ticks, Double::sum);
  }

  static boolean isWait(RecordedMethod method) {
    return method.getName().matches("epollWait.*|epollBusyWait.*")
        || method.getType().getName().matches("sun\\.nio\\.ch\\.(EPoll|KQueue|WEPoll)");
  }

  static Room room(String method) {
    return Arrays.stream(Room.values()).filter(room -> room.prefix != null && method.startsWith(room.prefix)).findFirst().orElse(Room.JDK);
  }

  // ---- what is written

  static String row(String name, Side side) {
    StringBuilder row = new StringBuilder("| `" + name + "` " + side.title + " | " + side.samples);
    row.append(" (").append(side.safepointSamples).append(", ").append(side.lostSamples).append(") |");
    for (Room room : Room.values()) {
      row.append(' ').append(percent(side.share(side.ownTicks.getOrDefault(room, 0.0)), 1)).append(" |");
    }
    // A load a second, of all of them.
    double processors = Runtime.getRuntime().availableProcessors() / (double) RECORDED.toSeconds();
    row.append(' ').append(percent((side.user + side.system) * processors, 0)).append(" | ");
    return row.append(percent(side.system / (side.user + side.system), 0)).append(" |\n").toString();
  }

  static String methods(String name, Side side) {
    List<String> most =
        side.ownTicksByMethod.entrySet().stream()
            .sorted(Map.Entry.<String, Double>comparingByValue().reversed())
            .limit(8)
            .map(e -> "`" + e.getKey() + "` " + percent(side.share(e.getValue()), 1))
            .toList();
    return "| `" + name + "` " + side.title + " | " + String.join(", ", most) + " |\n";
  }

  static String percent(double share, int digits) {
    return String.format(Locale.ROOT, "%." + digits + "f", 100 * share);
  }

  static String shortName(String name) {
    int method = name.lastIndexOf('.');
    return name.substring(name.lastIndexOf('.', method - 1) + 1);
  }

  static final int WIDTH = 1200;
  static final int ROW = 15;
  static final double CHARACTER = 6.1;

  /** One picture over the other, each as wide as all that its event loop did. */
  static String svg(String name, List<Side> sides) {
    StringBuilder body = new StringBuilder();
    int y = 0;
    for (Side side : sides) {
      int depth = depth(side, side.root);
      body.append(text(4, y + 15, "rt load " + CASES.get(name) + ": the " + side.title + "'s event loop, by " + (BY_PROCESSOR_TIME ? "processor time" : "time awake")));
      double x = 4;
      for (Room room : Room.values()) {
        String share = room.title + " " + percent(side.share(side.ownTicks.getOrDefault(room, 0.0)), 1) + " %";
        body.append(rect(x, y + 22, 12, room)).append(text(x + 16, y + 33, share));
        x += 40 + share.length() * CHARACTER;
      }
      y += 42 + depth * ROW;
      draw(body, side, side.root, 0, y - ROW);
      y += 14;
    }
    StringBuilder styles = new StringBuilder();
    Arrays.stream(Room.values()).forEach(room -> styles.append('.').append(room).append("{fill:").append(room.colour).append('}'));
    return "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 " + WIDTH + " " + y + "' font-family='monospace' font-size='10'>\n"
        + "<style>" + styles + "</style>\n<rect width='" + WIDTH + "' height='" + y + "' fill='white'/>\n" + body + "</svg>\n";
  }

  static int depth(Side side, Node node) {
    return 1 + node.callees.values().stream().filter(side::isDrawn).mapToInt(callee -> depth(side, callee)).max().orElse(0);
  }

  static void draw(StringBuilder body, Side side, Node node, double x, int y) {
    double width = WIDTH * side.share(node.ticks);
    String label = shortName(node.name);
    String title = label + " " + percent(side.share(node.ticks), 1) + " %";
    body.append("<g><title>").append(escape(title)).append("</title>").append(rect(x, y, width - 0.5, node.room));
    int room = (int) ((width - 4) / CHARACTER);
    if (room >= 4) {
      body.append(text(x + 2, y + 10, label.length() <= room ? label : label.substring(0, room - 1) + "…"));
    }
    body.append("</g>\n");
    double calleeX = x;
    for (Node callee : node.callees.values()) {
      if (side.isDrawn(callee)) {
        draw(body, side, callee, calleeX, y - ROW);
        calleeX += WIDTH * side.share(callee.ticks);
      }
    }
  }

  static String rect(double x, double y, double width, Room room) {
    return String.format(Locale.ROOT, "<rect x='%.1f' y='%.0f' width='%.1f' height='%d' class='%s'/>", x, y, width, ROW - 1, room);
  }

  static String text(double x, double y, String text) {
    return String.format(Locale.ROOT, "<text x='%.1f' y='%.0f'>%s</text>", x, y, escape(text));
  }

  static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
