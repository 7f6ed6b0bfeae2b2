import com.sun.jdi.Bootstrap;
import com.sun.jdi.Method;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.LaunchingConnector;
import com.sun.jdi.event.BreakpointEvent;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.event.MethodExitEvent;
import com.sun.jdi.event.VMDisconnectEvent;
import com.sun.jdi.request.BreakpointRequest;
import com.sun.jdi.request.ClassPrepareRequest;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.EventRequestManager;
import com.sun.jdi.request.MethodEntryRequest;
import com.sun.jdi.request.MethodExitRequest;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/**
 * Counts the classes and methods of RT that one push of 64 bytes enters, by phase. Runs {@code
 * OnePush} under the JDK's debugger interface, which tells of each method that is entered. A nested
 * class counts as a class, and each signature of a name as a method. What only the compiler or the
 * JVM has made does not count: the classes of lambdas, whose bodies do count, and bridges to a
 * method of another signature. Run by {@code .ci/entered}.
 */
public final class Entered {
  private static final String PROGRAM = "OnePush";
  private static final String COUNTED = "io.rtransport.";

  /** After these all that is made at first use is made. */
  private static final int ROUNDS_OF_WARM_UP = 2_000;

  /** In these methods are told of already. That is slow, and what RT knows of its path adapts. */
  private static final int ROUNDS_NOT_COUNTED = 10;

  private static final int ROUNDS_COUNTED = 5;

  /** What is pushed in a round. */
  private enum Kind {
    OWN("one push, its own promise", 1, "own"),
    VOID("one push, the void promise", 1, "void"),
    OWN16("16 pushes of one flush, a promise each", 16, "own"),
    VOID16("16 pushes of one flush, the void promise", 16, "void");

    private final String sentence;
    private final int pushes;
    private final String promise;

    Kind(String sentence, int pushes, String promise) {
      this.sentence = sentence;
      this.pushes = pushes;
      this.promise = promise;
    }
  }

  /** A part of a round on one thread, in the order of the table. */
  private enum Phase {
    WRITE("client", "write"),
    DOWN("client", "down: from the flush to the socket's (last) write"),
    DOWN_REST("client", "the rest of down's turn"),
    UP("server", "up: from the read to the (last) call of the handler"),
    UP_REST("server", "in the handler, and the rest of up's turn"),
    BACK("client", "back: from the read to the (last) promise's listener, if there is one"),
    BACK_REST("client", "the rest of back's turn"),
    CLIENT_LATER("client", "later reads"),
    SERVER_LATER("server", "later reads"),
    CLIENT_TIMERS("client", "timers"),
    SERVER_TIMERS("server", "timers"),
    BEFORE("either", "begun before the round");

    private final String thread;
    private final String what;

    Phase(String thread, String what) {
      this.thread = thread;
      this.what = what;
    }
  }

  /** A method at which one phase of its thread ends, or another begins. */
  private enum Mark {
    WRITE(PROGRAM, "write", true),
    FLUSH(PROGRAM, "flush", true),
    TAKE(PROGRAM, "take", false),
    COMPLETED(PROGRAM, "completed", false),
    ASK(PROGRAM, "ask", false),
    READ("io.netty.channel.nio.AbstractNioMessageChannel$NioMessageUnsafe", "read", true),
    SEND("io.netty.channel.socket.nio.NioDatagramChannel", "doWriteMessage", false),
    TIMER("io.netty.util.concurrent.ScheduledFutureTask", "run", false);

    private final String type;
    private final String method;

    /** Whether its phase goes on when it returns: the tasks that it left belong to it. */
    private final boolean lasts;

    Mark(String type, String method, boolean lasts) {
      this.type = type;
      this.method = method;
      this.lasts = lasts;
    }

    /** Null if {@code method} is none. */
    static Mark of(Method method) {
      for (Mark mark : values()) {
        if (mark.method.equals(method.name()) && mark.type.equals(method.declaringType().name())) {
          return mark;
        }
      }
      return null;
    }
  }

  /** One thread's part of a round. */
  private static final class Track {
    private final boolean isClient;
    private final Deque<Phase> outer = new ArrayDeque<>();
    private final List<Method> methods = new ArrayList<>();
    private final List<Phase> phases = new ArrayList<>();

    /** Where in {@link #methods} each phase ended; the last time, if it ended more than once. */
    private final Map<Phase, Integer> ends = new EnumMap<>(Phase.class);

    private Phase phase = Phase.BEFORE;
    private boolean isAsked;
    private boolean hasRead;

    Track(boolean isClient) {
      this.isClient = isClient;
    }

    void enter(Mark mark) {
      outer.push(phase);
      switch (mark) {
        case WRITE -> phase = Phase.WRITE;
        case FLUSH -> phase = Phase.DOWN;
        case SEND -> end(Phase.DOWN);
        case TAKE -> {
          end(Phase.UP);
          phase = phase == Phase.UP ? Phase.UP_REST : phase;
        }
        case COMPLETED -> end(Phase.BACK);
        case ASK -> isAsked = true;
        case READ -> {
          phase = firstOrLater();
          hasRead = true;
        }
        case TIMER -> phase = isClient ? Phase.CLIENT_TIMERS : Phase.SERVER_TIMERS;
      }
    }

    private void end(Phase ended) {
      if (phase == ended) {
        ends.put(phase, methods.size());
      }
    }

    private Phase firstOrLater() {
      if (isClient) {
        return hasRead ? Phase.CLIENT_LATER : Phase.BACK;
      }
      return hasRead ? Phase.SERVER_LATER : Phase.UP;
    }

    void leave(Mark mark) {
      if (outer.isEmpty()) {
        return; // entered before the round
      }
      Phase before = outer.pop();
      isAsked &= mark != Mark.ASK;
      phase = mark.lasts ? phase : before;
    }

    void enter(Method method) {
      if (!isAsked) {
        methods.add(method);
        phases.add(phase);
      }
    }

    Phase phase(int index) {
      Phase at = phases.get(index);
      boolean isRest = index >= ends.getOrDefault(at, Integer.MAX_VALUE);
      return switch (at) {
        case DOWN -> isRest ? Phase.DOWN_REST : at;
        case UP -> isRest ? Phase.UP_REST : at;
        case BACK -> isRest ? Phase.BACK_REST : at;
        default -> at;
      };
    }
  }

  /** Calls of each method, in the order of the first, in some phases of one round. */
  private static final class Calls {
    private final Map<Method, Integer> ofMethods = new LinkedHashMap<>();

    Calls(List<Track> tracks, Set<Phase> phases) {
      for (Track track : tracks) {
        for (int i = 0; i < track.methods.size(); i++) {
          if (phases.contains(track.phase(i))) {
            ofMethods.merge(track.methods.get(i), 1, Integer::sum);
          }
        }
      }
    }

    long classes() {
      return ofMethods.keySet().stream().map(Method::declaringType).distinct().count();
    }

    long methods() {
      return ofMethods.size();
    }

    long calls() {
      return ofMethods.values().stream().mapToLong(Integer::longValue).sum();
    }
  }

  private final VirtualMachine machine;
  private final EventRequestManager requests;
  private final List<EventRequest> ofMethods = new ArrayList<>();
  private final Map<Long, String> threads = new HashMap<>();
  private final Map<Method, Mark> marks = new HashMap<>();
  private final List<List<Track>> rounds = new ArrayList<>();
  private Track client;
  private Track server;

  private Entered(String classPath, Kind kind) throws Exception {
    LaunchingConnector connector = Bootstrap.virtualMachineManager().defaultConnector();
    Map<String, Connector.Argument> arguments = connector.defaultArguments();
    arguments.get("options").setValue("-cp \"" + classPath + "\"");
    arguments
        .get("main")
        .setValue(
            String.join(
                " ",
                PROGRAM,
                String.valueOf(kind.pushes),
                kind.promise,
                String.valueOf(ROUNDS_OF_WARM_UP),
                String.valueOf(ROUNDS_NOT_COUNTED + ROUNDS_COUNTED)));
    machine = connector.launch(arguments);
    requests = machine.eventRequestManager();
    copy(machine.process().getInputStream());
    copy(machine.process().getErrorStream());
  }

  /** Arguments: the program's class path; {@code --list}, or nothing; kinds, or all of them. */
  public static void main(String[] args) throws Exception {
    boolean isListed = List.of(args).contains("--list");
    List<Kind> kinds = new ArrayList<>();
    for (String arg : List.of(args).subList(1, args.length)) {
      if (!arg.equals("--list")) {
        kinds.add(kind(arg));
      }
    }
    for (Kind kind : kinds.isEmpty() ? List.of(Kind.values()) : kinds) {
      Entered entered = new Entered(args[0], kind);
      entered.run();
      entered.print(kind, isListed);
    }
  }

  private static Kind kind(String name) {
    for (Kind kind : Kind.values()) {
      if (name.equals(kind.name().toLowerCase())) {
        return kind;
      }
    }
    throw fail("kind=" + name + ", valid: own, void, own16, void16");
  }

  private void run() throws Exception {
    ClassPrepareRequest prepared = requests.createClassPrepareRequest();
    prepared.addClassFilter(PROGRAM);
    prepared.enable();
    request(COUNTED + "*", false);
    request(PROGRAM, true);
    request(Mark.READ.type, true);
    request(Mark.SEND.type, true);
    request(Mark.TIMER.type, true);
    boolean isConnected = true;
    while (isConnected) {
      EventSet events = machine.eventQueue().remove();
      for (Event event : events) {
        on(event);
        isConnected &= !(event instanceof VMDisconnectEvent);
      }
      if (isConnected) {
        events.resume();
      }
    }
    int status = machine.process().waitFor();
    if (status != 0 || rounds.size() != ROUNDS_NOT_COUNTED + ROUNDS_COUNTED) {
      throw fail(PROGRAM + " ended with " + status + " after " + rounds.size() + " rounds");
    }
  }

  /** Not enabled before the first round: until then the program is to be fast. */
  private void request(String types, boolean withExit) {
    MethodEntryRequest entry = requests.createMethodEntryRequest();
    entry.addClassFilter(types);
    entry.setSuspendPolicy(EventRequest.SUSPEND_NONE);
    ofMethods.add(entry);
    if (withExit) {
      MethodExitRequest exit = requests.createMethodExitRequest();
      exit.addClassFilter(types);
      exit.setSuspendPolicy(EventRequest.SUSPEND_NONE);
      ofMethods.add(exit);
    }
  }

  private void on(Event event) {
    if (event instanceof MethodEntryEvent entry) {
      onEntry(entry.thread(), entry.method());
    } else if (event instanceof MethodExitEvent exit) {
      Track track = track(exit.thread());
      Mark mark = mark(exit.method());
      if (track != null && mark != null) {
        track.leave(mark);
      }
    } else if (event instanceof BreakpointEvent stop) {
      onBreakpoint(stop.location().method().name());
    } else if (event instanceof ClassPrepareEvent prepared) {
      stopAt(prepared.referenceType(), "begin");
      stopAt(prepared.referenceType(), "end");
    }
  }

  private void onEntry(ThreadReference thread, Method method) {
    Track track = track(thread);
    if (track == null) {
      return;
    }
    Mark mark = mark(method);
    if (mark != null) {
      track.enter(mark);
    } else if (isCounted(method)) {
      track.enter(method);
    }
  }

  private static boolean isCounted(Method method) {
    String type = method.declaringType().name();
    return type.startsWith(COUNTED) && !type.contains("$$Lambda") && !method.isBridge();
  }

  private Mark mark(Method method) {
    if (!marks.containsKey(method)) {
      marks.put(method, Mark.of(method));
    }
    return marks.get(method);
  }

  /** Null outside a round, and for other threads than the two loops'. */
  private Track track(ThreadReference thread) {
    String name = threads.computeIfAbsent(thread.uniqueID(), id -> thread.name());
    if (name.startsWith("client-")) {
      return client;
    }
    return name.startsWith("server-") ? server : null;
  }

  private void onBreakpoint(String method) {
    if (method.equals("begin")) {
      ofMethods.forEach(EventRequest::enable);
      client = new Track(true);
      server = new Track(false);
    } else {
      rounds.add(List.of(client, server));
      client = null;
      server = null;
    }
  }

  private void stopAt(ReferenceType type, String method) {
    BreakpointRequest stop =
        requests.createBreakpointRequest(type.methodsByName(method).get(0).location());
    stop.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
    stop.enable();
  }

  private void print(Kind kind, boolean isListed) {
    List<List<Track>> counted = rounds.subList(ROUNDS_NOT_COUNTED, rounds.size());
    check(counted);
    System.out.printf("%s (%s):%n", kind.sentence, kind.name().toLowerCase());
    System.out.printf("%8s %8s %8s%n", "classes", "methods", "calls");
    for (Phase phase : Phase.values()) {
      printRow(counted, EnumSet.of(phase), phase.thread + ", " + phase.what);
      if (phase == Phase.BACK_REST) {
        printRow(counted, EnumSet.range(Phase.WRITE, phase), "all of these, each method once");
      }
    }
    if (isListed) {
      for (Phase phase : Phase.values()) {
        list(phase, new Calls(counted.get(0), EnumSet.of(phase)));
      }
    }
  }

  /** Else the methods of Netty that divide a round have other names now. */
  private static void check(List<List<Track>> rounds) {
    for (List<Track> tracks : rounds) {
      for (Phase phase : EnumSet.range(Phase.WRITE, Phase.BACK)) {
        if (new Calls(tracks, EnumSet.of(phase)).calls() == 0) {
          throw fail("no method was entered in " + phase + " of a round");
        }
      }
      boolean isDivided =
          tracks.get(0).ends.containsKey(Phase.DOWN) && tracks.get(1).ends.containsKey(Phase.UP);
      if (!isDivided) {
        throw fail("a round without a write to the socket, or without a call of the handler");
      }
    }
  }

  private static void printRow(List<List<Track>> rounds, Set<Phase> phases, String what) {
    List<Calls> calls = rounds.stream().map(tracks -> new Calls(tracks, phases)).toList();
    if (calls.stream().anyMatch(of -> of.calls() > 0)) {
      System.out.printf(
          "%8s %8s %8s  %s%n",
          range(calls, Calls::classes),
          range(calls, Calls::methods),
          range(calls, Calls::calls),
          what);
    }
  }

  /** A number where all rounds have the same, else the least and the most. */
  private static String range(List<Calls> rounds, ToLongFunction<Calls> figure) {
    long least = rounds.stream().mapToLong(figure).min().orElseThrow();
    long most = rounds.stream().mapToLong(figure).max().orElseThrow();
    return least == most ? String.valueOf(least) : least + ".." + most;
  }

  private static void list(Phase phase, Calls calls) {
    if (calls.calls() > 0) {
      System.out.printf("%n%s, %s:%n", phase.thread, phase.what);
      calls.ofMethods.forEach((method, n) -> System.out.printf("%6d %s%n", n, text(method)));
    }
  }

  private static String text(Method method) {
    String arguments =
        method.argumentTypeNames().stream()
            .map(name -> name.substring(name.lastIndexOf('.') + 1))
            .collect(Collectors.joining(", "));
    String type = method.declaringType().name().substring(COUNTED.length());
    return type + "." + method.name() + "(" + arguments + ")";
  }

  private static void copy(InputStream from) {
    Thread copying =
        new Thread(
            () -> {
              try {
                from.transferTo(System.err);
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    copying.setDaemon(true);
    copying.start();
  }

  private static IllegalStateException fail(String text) {
    System.err.println("entered: " + text);
    System.exit(1);
    return new IllegalStateException();
  }
}
