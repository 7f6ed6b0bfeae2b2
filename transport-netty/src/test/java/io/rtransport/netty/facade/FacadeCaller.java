package io.rtransport.netty.facade;

import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.BlockingOperationException;
import io.rtransport.core.fuzz.FuzzInput;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.netty.Pull;
import io.rtransport.netty.Push;
import io.rtransport.netty.RtException;
import io.rtransport.netty.RtPullRequest;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * An application over the facade that does what a fuzzer says, and holds the facade to what it
 * promises.
 */
final class FacadeCaller implements RtTarget {
  private static final int HEADER_BYTES = 8;
  private static final int BEGUN_MAX = 200;
  private static final int ENDED = -1;

  /** A transaction of this side. */
  private record Begun(long id, CompletableFuture<?> future, int lengthBytesMax) {}

  private final RtEndpoint endpoint;
  private final InetSocketAddress server;
  private final int number;
  private FacadeCaller peer;
  private final List<CompletableFuture<RtListener>> listeners = new ArrayList<>();
  private final List<CompletableFuture<RtConnection>> attempts = new ArrayList<>();
  private final List<CompletableFuture<?>> others = new ArrayList<>();
  private final Map<RtConnection, CloseReason> connections = new LinkedHashMap<>();
  private final Map<RtConnection, CompletableFuture<CloseReason>> ends = new HashMap<>();
  private final List<Begun> begun = new ArrayList<>();
  private final List<CompletableFuture<Void>> tooLong = new ArrayList<>();
  private final List<InboundPush> pushes = new ArrayList<>();
  private final List<RtPullRequest> pulls = new ArrayList<>();

  /** What this side has said of the peer's transactions: a code, or null if it took them. */
  private final Map<Long, Integer> verdicts = new HashMap<>();

  private final Map<Long, Integer> answered = new HashMap<>();
  private final Set<Long> seen = new HashSet<>();
  private long nextId;
  private boolean isEager;
  private CompletableFuture<Void> shutdown;
  private Throwable defect;

  FacadeCaller(RtEndpoint endpoint, InetSocketAddress server, int number) {
    this.endpoint = endpoint;
    this.server = server;
    this.number = number;
  }

  void faces(FacadeCaller other) {
    peer = other;
  }

  // ---- what it does

  void listen() {
    listeners.add(endpoint.listen(server, this));
  }

  void connect() {
    attempts.add(endpoint.connect(server, this));
  }

  /**
   * One call.
   *
   * @param mayConnect whether there is room for a connection more
   */
  void act(FuzzInput input, boolean mayConnect) {
    int what = input.below(16);
    RtConnection connection = connection(input);
    if (connection == null || what == 15) {
      life(input, mayConnect);
      return;
    }
    switch (what) {
      case 0, 1, 2 -> push(connection, input);
      case 3, 4 -> pull(connection, input);
      case 5 -> acknowledge();
      case 6 -> fail(input.u8());
      case 7, 8 -> respond(input.u16());
      case 9 -> again();
      case 10 -> cancel(input);
      case 11 -> others.add(connection.stats());
      case 12 -> isEager = input.flag();
      case 13 -> illegal(connection, input);
      default -> {
        if (input.below(8) == 0) { // rare, or nothing else would be seen
          others.add(
              input.flag() ? connection.close() : connection.close(256 + input.u8(), "closed"));
        }
      }
    }
  }

  private RtConnection connection(FuzzInput input) {
    List<RtConnection> all = List.copyOf(connections.keySet());
    return all.isEmpty() ? null : all.get(input.below(all.size()));
  }

  private void life(FuzzInput input, boolean mayConnect) {
    switch (input.below(8)) {
      case 0, 1 -> {
        if (mayConnect) {
          connect();
        }
      }
      case 2 -> {
        if (listeners.size() < 4) {
          listen(); // at an address that is taken as often as not
        }
      }
      case 3 -> {
        for (CompletableFuture<RtListener> each : listeners) {
          if (each.isDone() && !each.isCompletedExceptionally()) {
            others.add(each.getNow(null).close());
          }
        }
      }
      case 4 -> attempts.forEach(attempt -> attempt.cancel(true)); // one that is made stays
      case 5 -> {
        if (input.below(4) == 0) {
          shutDown();
        }
      }
      default -> {
        // A host does none of this most of the time.
      }
    }
  }

  private byte[] header(long id) {
    return ByteBuffer.allocate(HEADER_BYTES).putLong(id).array();
  }

  private long takeId() {
    return (long) number << 32 | nextId++;
  }

  private static byte[] payload(long id, int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (id + i);
    }
    return bytes;
  }

  private void push(RtConnection connection, FuzzInput input) {
    if (begun.size() >= BEGUN_MAX) {
      return;
    }
    long id = takeId();
    byte[] bytes = payload(id, input.flag() ? input.u16() : input.u8());
    boolean isPlain = input.flag();
    CompletableFuture<Void> future;
    if (isPlain) {
      future = connection.push(bytes, header(id));
    } else {
      Push push = Push.of(Unpooled.wrappedBuffer(bytes), header(id));
      push.deadline(Duration.ofMillis(1 + input.u8()));
      future = connection.push(push);
    }
    begun.add(new Begun(id, future, bytes.length));
  }

  private void pull(RtConnection connection, FuzzInput input) {
    if (begun.size() >= BEGUN_MAX) {
      return;
    }
    long id = takeId();
    int most = input.flag() ? input.u16() : input.u8();
    Pull pull = Pull.of(header(id), most);
    if (input.below(4) == 0) {
      pull.deadline(Duration.ofMillis(1 + input.u8()));
    }
    begun.add(new Begun(id, connection.pull(pull), most));
  }

  private static long idOf(byte[] header) {
    require(header.length == HEADER_BYTES, "a header of " + header.length);
    return ByteBuffer.wrap(header).getLong();
  }

  private void acknowledge() {
    for (InboundPush push : pushes) {
      if (push.acknowledge()) {
        verdicts.put(idOf(push.header()), null);
      }
    }
    pushes.clear();
  }

  private void fail(int code) {
    for (InboundPush push : pushes) {
      if (push.fail(code, "no")) {
        verdicts.put(idOf(push.header()), code);
      }
    }
    pushes.clear();
    for (RtPullRequest request : pulls) {
      if (request.fail(code, "no")) {
        verdicts.put(idOf(request.header()), code);
      }
    }
    pulls.clear();
  }

  private void respond(int length) {
    for (RtPullRequest request : pulls) {
      long id = idOf(request.header());
      int bytes = (int) Math.min(length, request.lengthBytesMax());
      answered.put(id, bytes);
      require(request.respond(payload(id, bytes)), "the first answer counts");
      verdicts.put(id, null);
    }
    pulls.clear();
  }

  /** What was answered is answered once more: that changes nothing. */
  private void again() {
    if (!pushes.isEmpty()) {
      InboundPush push = pushes.remove(0);
      require(push.acknowledge(), "the first answer counts");
      verdicts.put(idOf(push.header()), null);
      require(!push.fail(1, "twice") && !push.acknowledge(), "answered twice");
    }
  }

  private void cancel(FuzzInput input) {
    if (!begun.isEmpty()) {
      begun.get(input.below(begun.size())).future.cancel(input.flag());
    }
  }

  private void illegal(RtConnection connection, FuzzInput input) {
    switch (input.below(6)) {
      case 0 -> refused(() -> connection.close(input.u8(), "a code that is the protocol's"));
      case 1 -> refused(() -> Pull.of(new byte[0], -1 - input.u8()));
      case 2 -> refused(() -> Push.of(Unpooled.EMPTY_BUFFER).deadline(Duration.ZERO));
      case 3 -> {
        tooLong.add(connection.push(new byte[1], new byte[65 + input.u8()]));
      }
      case 4 -> {
        if (!pulls.isEmpty()) {
          RtPullRequest request = pulls.get(0);
          refused(() -> request.respond(new byte[(int) request.lengthBytesMax() + 1]));
        }
      }
      default -> {
        for (Begun each : begun) {
          if (!each.future.isDone()) {
            waits(each.future);
            return;
          }
        }
      }
    }
  }

  /** The caller erred: an exception that says what is valid. */
  private static void refused(Runnable call) {
    try {
      call.run();
    } catch (IllegalArgumentException e) {
      require(e.getMessage().contains("valid: "), "what is valid: " + e.getMessage());
      return;
    }
    throw new AssertionError("taken, though it is not valid");
  }

  private static void waits(CompletableFuture<?> future) {
    try {
      future.join();
    } catch (BlockingOperationException e) {
      return;
    }
    throw new AssertionError("an event loop may wait for itself");
  }

  /** Answers all that is owed. */
  void settle() {
    acknowledge();
    fail(3);
  }

  void shutDown() {
    if (shutdown == null) {
      shutdown = endpoint.shutdown();
    }
  }

  // ---- what it hears

  @Override
  public void onConnect(RtConnection connection) {
    guarded(() -> connected(connection));
  }

  private void connected(RtConnection connection) {
    require(connections.put(connection, null) == null, "connected twice");
    ends.put(connection, connection.closed());
  }

  @Override
  public void onPush(RtConnection connection, InboundPush push) {
    guarded(() -> pushed(connection, push));
  }

  private void pushed(RtConnection connection, InboundPush push) {
    alive(connection);
    long id = idOf(push.header());
    require(seen.add(id), "came twice: " + id);
    require(push.lengthBytes() == push.payload().length, "a length of its own");
    require(Arrays.equals(push.payload(), payload(id, push.payload().length)), "other bytes");
    pushes.add(push);
    if (isEager) {
      acknowledge();
    }
  }

  @Override
  public void onPull(RtConnection connection, RtPullRequest request) {
    guarded(() -> asked(connection, request));
  }

  private void asked(RtConnection connection, RtPullRequest request) {
    alive(connection);
    require(seen.add(idOf(request.header())), "asked twice");
    pulls.add(request);
    if (isEager) {
      respond(300);
    }
  }

  @Override
  public void onClose(RtConnection connection, CloseReason reason) {
    guarded(() -> closed(connection, reason));
  }

  private void closed(RtConnection connection, CloseReason reason) {
    alive(connection);
    require(!FacadeOrderFuzz.isOfALiar(reason), "an honest peer was taken for a liar: " + reason);
    connections.put(connection, reason);
  }

  /** Netty keeps what a callback throws for itself. */
  private void guarded(Runnable callback) {
    try {
      callback.run();
    } catch (RuntimeException | AssertionError e) {
      defect = defect == null ? e : defect;
    }
  }

  private void alive(RtConnection connection) {
    require(connections.containsKey(connection), "before onConnect");
    require(connections.get(connection) == null, "after onClose");
  }

  // ---- what must hold

  /** Whether nothing that this side began is open. */
  boolean isSettled() {
    return begun.stream().allMatch(each -> each.future.isDone())
        && others.stream().allMatch(CompletableFuture::isDone)
        && (shutdown == null || shutdown.isDone());
  }

  /** Packets arrived and everybody answered: what was begun has ended. */
  void checkSettled() {
    if (defect != null) {
      throw new AssertionError("in a callback", defect);
    }
    for (Begun each : begun) {
      require(each.future.isDone(), "never ended: " + each.id + " of " + connections);
      check(each);
    }
    for (CompletableFuture<Void> each : tooLong) {
      require(each.isDone(), "a header that is too long is not refused");
      require(failure(each).outcome() == Outcome.NOT_EXECUTED, "executed");
    }
    List<CompletableFuture<?>> all = new ArrayList<>(others);
    all.removeIf(CompletableFuture::isDone);
    all.removeIf(ends::containsValue);
    require(all.isEmpty(), "never done: " + all);
  }

  private void check(Begun transaction) {
    // The side that listens may connect to itself.
    FacadeCaller target = seen.contains(transaction.id) ? this : peer;
    Integer code = target.verdicts.getOrDefault(transaction.id, ENDED);
    if (!transaction.future.isCompletedExceptionally()) {
      require(code == null, "a success that nobody has said: " + transaction.id);
      if (transaction.future.getNow(null) instanceof byte[] answer) {
        int length = target.answered.get(transaction.id);
        require(length <= transaction.lengthBytesMax, "an answer of " + length);
        require(Arrays.equals(answer, payload(transaction.id, length)), "other bytes");
      }
    } else if (!transaction.future.isCancelled()) {
      RtException failure = failure(transaction.future);
      if (!failure.isFromTransport()) {
        require(code != null && code == failure.code(), "a code that nobody said: " + failure);
        require(failure.outcome() == Outcome.FAILED, "an outcome of the peer's: " + failure);
      }
    }
  }

  private static RtException failure(CompletableFuture<?> future) {
    try {
      future.getNow(null);
    } catch (CompletionException e) {
      if (e.getCause() instanceof RtException failure) {
        return failure;
      }
      throw new AssertionError("another failure than a transaction's", e.getCause());
    }
    throw new AssertionError("no failure");
  }

  /** Both endpoints are shut down. */
  void checkEnd() {
    require(shutdown.isDone() && !shutdown.isCompletedExceptionally(), "shut down: " + shutdown);
    checkSettled();
    listeners.forEach(FacadeCaller::endedByTheNetwork);
    attempts.forEach(FacadeCaller::endedByTheNetwork);
    others.forEach(future -> require(future.isDone(), "never done: " + future));
    ends.forEach(
        (connection, end) -> {
          CloseReason told = connections.get(connection);
          require(told != null && end.isDone(), "no end was told of " + connection);
          require(end.getNow(null).code() == told.code(), told + " and " + end.getNow(null));
        });
  }

  private static void endedByTheNetwork(CompletableFuture<?> future) {
    require(future.isDone(), "never done: " + future);
    try {
      future.getNow(null);
    } catch (CancellationException e) {
      // given up by this side
    } catch (CompletionException e) {
      require(e.getCause() instanceof IOException, "failed by " + e.getCause());
    }
  }

  static void require(boolean isRight, String what) {
    if (!isRight) {
      throw new AssertionError(what);
    }
  }
}
