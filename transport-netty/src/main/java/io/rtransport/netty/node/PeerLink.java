package io.rtransport.netty.node;

import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.rtransport.core.node.LearntAddresses;
import io.rtransport.core.node.MessageKind;
import io.rtransport.core.node.NodeCode;
import io.rtransport.core.node.NodeHeader;
import io.rtransport.core.node.OnceTable;
import io.rtransport.core.node.PendingMessage;
import io.rtransport.core.node.RoutingHeader;
import io.rtransport.core.outcome.MessageStatus;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.rail.NiError;
import io.rtransport.core.stats.Limits;
import io.rtransport.netty.Pull;
import io.rtransport.netty.Push;
import io.rtransport.netty.RtException;
import io.rtransport.netty.facade.RtConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * This node's messages to one peer, and the connection that carries them. It connects when there is
 * a message, and again when the connection has ended and messages wait. Confined to {@code loop};
 * {@link #submit} and {@link #close} may be called on any thread.
 */
final class PeerLink implements RouterWatch.Owner, NodeHandshake.Owner {
  /** Messages that have not ended: the peer knows no more of their ids. */
  static final int CALLS_MAX = OnceTable.IDS_MAX;

  private static final long RETRY_NS_MIN = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long RETRY_NS_MAX = TimeUnit.SECONDS.toNanos(1);

  private final NodeContext node;
  private final long origin; // whose ids these are, to the peer
  private final String peer;
  private final Ways ways;
  private final RoutingHeader routing; // null: no router is between
  private final EventLoop loop;
  private final KeptBytes kept;
  private final PeerCounts counts;
  private final RouterWatch watch;
  private final NodeHandshake handshake;
  private final StandbyRouter standby; // null: no router is between

  /** By id, in the order of the ids. */
  private final Map<Long, Call> calls = new LinkedHashMap<>();

  private long nextId = 1;

  /** Of each incarnation of the peer the first id that was never sent to it. */
  private final SentIds sent = new SentIds();

  private RtConnection connection; // once it has said HELLO
  private Consumer<RtConnection> whenTaken = taken -> {};
  private Consumer<RtConnection> whenLeft = left -> {};
  private RtConnection asking; // says HELLO again, and gets no messages until it has
  private RtConnection broken; // has failed a message, and gets no more: it ends
  private int hellos; // that were answered
  private long target; // incarnation of the peer at its other end
  private boolean isConnecting;
  private boolean isUp;
  private boolean isClosed;
  private long retryNs = Long.MIN_VALUE;
  private long retryAfterNs;
  private String reason = "";
  private ScheduledFuture<?> alarm;
  private long alarmNs = Long.MAX_VALUE;

  PeerLink(
      NodeContext node,
      long origin,
      String peer,
      Ways ways,
      EventLoop loop,
      KeptBytes kept,
      PeerCounts counts) {
    this.node = node;
    this.origin = origin;
    this.peer = peer;
    this.ways = ways;
    this.routing = ways.isRouted() ? new RoutingHeader(peer, node.name()) : null;
    this.loop = loop;
    this.kept = kept;
    this.counts = counts;
    this.watch = new RouterWatch(loop, this);
    this.handshake = new NodeHandshake(node, peer, routing, this::onLoop, this);
    this.standby =
        routing == null
            ? null
            : new StandbyRouter(loop, node, ways, () -> !calls.isEmpty(), () -> who(null));
  }

  // ---- messages

  /**
   * Takes a message. Returns the future of its end; its value is the answer of a GET, else null.
   *
   * @param withinNs time in which it ends in any case
   */
  CompletableFuture<byte[]> submit(
      MessageKind kind,
      byte[] header,
      byte[] payload,
      int answerLengthMax,
      boolean isRepeatable,
      long withinNs) {
    CompletableFuture<byte[]> future = new CompletableFuture<>();
    long bytes = bytesOf(header, payload);
    if (!kept.take(bytes)) {
      refuse(future, bytes + " bytes for " + peer + " do not fit: " + kept);
      return future;
    }
    try {
      loop.execute(
          () -> begin(kind, header, payload, answerLengthMax, isRepeatable, withinNs, future));
    } catch (RejectedExecutionException e) {
      kept.give(bytes);
      refuse(future, "the node is closed");
    }
    return future;
  }

  private static long bytesOf(byte[] header, byte[] payload) {
    return header.length + (payload == null ? 0 : payload.length);
  }

  private static void refuse(CompletableFuture<byte[]> future, String why) {
    future.completeExceptionally(new NodeException(MessageStatus.NOT_EXECUTED, 0, why));
  }

  private void begin(
      MessageKind kind,
      byte[] header,
      byte[] payload,
      int answerLengthMax,
      boolean isRepeatable,
      long withinNs,
      CompletableFuture<byte[]> future) {
    if (isClosed) {
      kept.give(bytesOf(header, payload));
      refuse(future, "the node is closed");
    } else if (nextId - endedBelow() >= CALLS_MAX) {
      kept.give(bytesOf(header, payload));
      refuse(future, "the oldest message to " + peer + " without an end is " + CALLS_MAX + " back");
    } else {
      long nowNs = nowNs();
      PendingMessage state =
          new PendingMessage(
              kind, isRepeatable, nowNs + withinNs, node.retries(), node.resendIntervalNs(), nowNs);
      long id = nextId++;
      Call call = new Call(id, kind, header, payload, answerLengthMax, isRepeatable, state, future);
      calls.put(id, call);
      counts.onTaken(call, nowNs);
      if (standby != null) {
        standby.onMessage();
      }
      arm(state.deadlineNs());
      advance(call, nowNs);
      connectIfDue(nowNs);
    }
  }

  /** Returns the bytes of the longest header of an application. */
  int headerLengthMax() {
    return Limits.HEADER_LENGTH_MAX
        - NodeHeader.LENGTH
        - (routing == null ? 0 : routing.lengthBytes());
  }

  /** Returns the id below which all have ended. */
  private long endedBelow() {
    return calls.isEmpty() ? nextId : calls.keySet().iterator().next();
  }

  /** Sends a message if it may be sent, ends it if it has ended, or sees to it later. */
  private void advance(Call call, long nowNs) {
    if (call.state.status() != null) {
      end(call, null);
    } else if (isReady() && call.state.maySend(target, nowNs)) {
      send(call, nowNs);
    } else if (call.state.dueNs() > nowNs) {
      arm(call.state.dueNs());
    }
  }

  private boolean isReady() {
    return connection != null && connection != asking && connection != broken;
  }

  private void end(Call call, byte[] answer) {
    if (calls.remove(call.id) == null) {
      return; // a callback of another message's end has closed the node
    }
    if (calls.isEmpty() && alarm != null) {
      alarm.cancel(false);
      alarm = null;
      alarmNs = Long.MAX_VALUE;
    }
    if (call.reason.isEmpty()) {
      call.reason = reason;
    }
    kept.give(bytesOf(call.header, call.payload));
    counts.onEnded(call, nowNs());
    call.complete(answer);
  }

  private void send(Call call, long nowNs) {
    sent.onSent(target, call.id);
    NodeHeader header =
        new NodeHeader(
            call.kind,
            call.isRepeatable,
            NodeHeader.HOPS_MAX,
            origin,
            call.id,
            endedBelow(),
            routing == null ? call.state.boundTarget() : target,
            routing);
    byte[] bytes = header.before(call.header);
    Duration left = Duration.ofNanos(call.state.deadlineNs() - nowNs);
    call.state.onSent(target);
    call.hellos = hellos;
    counts.onSent(call, nowNs);
    RtConnection used = connection;
    if (call.kind == MessageKind.GET) {
      Pull pull = Pull.of(bytes, call.answerLengthMax).deadline(left);
      call.onSent(used, ways.nextHop(), pull::cancel);
      then(connection.pull(pull), (answer, failure) -> onEnded(call, used, answer, failure));
    } else {
      Push push = Push.of(Unpooled.wrappedBuffer(call.payload), bytes).deadline(left);
      call.onSent(used, ways.nextHop(), push::cancel);
      then(connection.push(push), (nothing, failure) -> onEnded(call, used, null, failure));
    }
    watch.watch();
  }

  private void onEnded(Call call, RtConnection used, byte[] answer, Throwable failure) {
    if (routing != null && AttemptFailure.leadsNowhere(failure) && connection == used) {
      ways.onNoWay(nowNs());
      leave(used, String.valueOf(failure.getMessage()));
    }
    boolean isLeft = failure != null && !call.isBy(used);
    if (calls.get(call.id) != call || isLeft) {
      return; // its time was over, or it was sent by another router
    }
    long nowNs = nowNs();
    if (failure == null) {
      call.state.onAttemptEnded(Outcome.COMPLETED, nowNs);
      counts.onAnswered(call, nowNs);
      end(call, answer);
      return;
    }
    boolean isAnswer =
        failure instanceof RtException e && e.outcome() == Outcome.FAILED && !e.isFromTransport();
    if (AttemptFailure.isOfConnection(failure)) {
      leaveUnused(used);
    }
    int code = isAnswer ? ((RtException) failure).code() : 0;
    call.code = NodeCode.of(code) == null ? Math.max(0, code) : 0;
    call.reason = isAnswer ? AttemptFailure.textOf(failure) : String.valueOf(failure.getMessage());
    NodeCode ofNode = isAnswer ? NodeCode.of(code) : null;
    call.again = SentAgain.LOSS;
    if (isAnswer && ofNode == null && code >= 0) {
      counts.onAnswered(call, nowNs);
    }
    if (routing != null && ofNode != NodeCode.LOST && AttemptFailure.leadsNowhere(failure)) {
      call.again = SentAgain.NO_WAY;
      call.state.onNoWay(nowNs);
    } else if (routing != null && ofNode == NodeCode.LOST) {
      call.state.onAttemptEnded(Outcome.UNKNOWN, nowNs);
    } else if (ofNode == NodeCode.NO_ROOM) {
      call.state.onAttemptEnded(Outcome.NOT_EXECUTED, nowNs);
    } else if (ofNode == NodeCode.UNKNOWN) {
      onRefused(call, used, nowNs);
    } else if (ofNode != null || code < 0) { // of the peer's node, not of its application
      call.state.onGivenUp();
    } else {
      call.state.onAttemptEnded(RtException.outcomeOf(failure), nowNs);
    }
    advance(call, nowNs);
  }

  /**
   * Handles that the peer does not know the id: it may have forgotten this node, as the one that it
   * heard of least lately. After another HELLO all ids are new that were never sent, so a message
   * that was surely not executed gets one of these. Nobody has a copy with its former id any more.
   */
  private void onRefused(Call call, RtConnection used, long nowNs) {
    if (!call.state.onRefused(nowNs)) {
      return;
    }
    calls.remove(call.id);
    call.id = nextId++;
    calls.put(call.id, call);
    if (used == connection && isReady() && call.hellos == hellos) {
      asking = used;
      handshake.repeat(used, target, (answer, failure) -> onHelloAgain(used, answer, failure));
    }
  }

  private void onHelloAgain(RtConnection used, byte[] answer, Throwable failure) {
    if (connection != used || broken == used) {
      return; // the next connection begins with HELLO
    }
    asking = null;
    if (AttemptFailure.isOfConnection(failure)) {
      leaveUnused(used);
      return;
    }
    Hello hello = failure == null ? Hello.read(answer) : null;
    if (hello == null || hello.incarnation() != target) {
      if (routing != null && AttemptFailure.leadsNowhere(failure)) {
        ways.onNoWay(nowNs());
      }
      leave(used, failure == null ? "the peer is another" : "no HELLO: " + failure.getMessage());
      return;
    }
    hellos++;
    for (Call call : new ArrayList<>(calls.values())) {
      advance(call, nowNs());
    }
  }

  /**
   * Sends nothing more on a connection that has failed a message. Messages are told before {@link
   * #onLost} that a connection has ended: one that is due at once would go into it again. If it has
   * not ended it is closed, whatever its peer has answered: {@link #onLost} follows then, too.
   */
  private void leaveUnused(RtConnection used) {
    if (connection == used && broken != used) {
      broken = used;
      used.close();
    }
  }

  // ---- the connection

  private void connectIfDue(long nowNs) {
    boolean isWanted = connection == null && !isConnecting && !isClosed && !calls.isEmpty();
    if (isWanted && ways.isSourceDown()) {
      node.lookAt(ways.source()); // for the next message
      endAll("source=" + ways.source().getHostAddress() + " is down", false);
      return;
    }
    Map<String, Integer> used = isWanted ? calls.values().iterator().next().used : Map.of();
    RtConnection ready = isWanted && standby != null ? standby.take(used, nowNs) : null;
    if (ready != null) {
      isConnecting = true;
      handshake.begin(ready);
      return;
    }
    PeerConfig via = isWanted && nowNs >= retryNs ? ways.choose(nowNs, used) : null;
    if (via != null) {
      isConnecting = true;
      then(node.connect(via), this::onConnected);
    } else if (isWanted) {
      tell(false); // all routes rest
      arm(Math.max(retryNs, ways.dueNs(nowNs)));
    }
  }

  /** Takes another route at once. What the router still carries ends there, or comes again. */
  private void leave(RtConnection used, String why) {
    connection = null;
    reason = why;
    onLeft(used);
    used.close();
    connectIfDue(nowNs());
  }

  @Override
  public RtConnection router() {
    return isClosed || calls.isEmpty() ? null : connection;
  }

  @Override
  public long otherWaitNs() {
    return ways.otherWaitNs(nowNs());
  }

  @Override
  public void onDoubt(RtConnection used) {
    long nowNs = nowNs();
    for (Call call : new ArrayList<>(calls.values())) {
      if (call.isBy(used) && call.state.move(nowNs)) {
        call.again = SentAgain.SILENCE;
        call.leave();
      }
    }
    ways.onSilence(NiError.PEER_NI_UNREACHABLE, nowNs);
    leave(used, "the router does not answer");
  }

  private void onConnected(RtConnection made, Throwable failure) {
    if (AttemptFailure.isSilence(failure)) {
      ways.onSilence(NiError.PEER_NI_CONNECT_ERROR, nowNs());
    }
    if (failure != null) {
      onFailed(String.valueOf(failure.getMessage()));
      return;
    }
    if (isClosed) {
      made.close();
      return;
    }
    if (routing != null && ways.isLearnt(made.remoteAddress())) {
      handshake.beginAtRouter(made, ways.nextHop());
    } else {
      handshake.begin(made);
    }
  }

  @Override
  public byte[] who(RoutingHeader by) {
    return Hello.who(origin, node.name(), by);
  }

  @Override
  public byte[] toBeKnown(Hello answered) {
    long firstNew = sent.firstNew(answered.incarnation(), endedBelow());
    return answered.toBeKnown(origin, firstNew, node.name(), routing);
  }

  /** If a learnt address leads there, the others are tried at once. */
  @Override
  public void onStranger(RtConnection made, boolean isAnswer, String problem) {
    if (ways.onStranger(made.remoteAddress(), isAnswer)) {
      isConnecting = false;
      reason = problem;
      connectIfDue(nowNs());
    } else {
      onFailed(problem);
    }
  }

  @Override
  public void onKnown(RtConnection made, long incarnation) {
    if (isClosed) {
      made.close();
      onFailed("the node is closed");
      return;
    }
    isConnecting = false;
    retryAfterNs = 0;
    reason = "";
    connection = made;
    asking = null;
    broken = null;
    hellos++;
    target = incarnation;
    ways.onWay(made.remoteAddress(), nowNs());
    long ofNextHop = routing == null ? target : LearntAddresses.UNKNOWN_INCARNATION;
    AddressWatch.watch(made, ofNextHop, ways.ofChosen(), this::onLoop);
    whenTaken.accept(made);
    tell(true);
    for (Call call : new ArrayList<>(calls.values())) {
      call.state.onTarget(target);
      advance(call, nowNs());
    }
    then(made.closed(), (why, none) -> onLost(made)); // last: it may be closed already
  }

  @Override
  public void onFailed(String why) {
    isConnecting = false;
    reason = why;
    tell(false);
    long nowNs = nowNs();
    if (routing != null) {
      ways.onNoWay(nowNs); // its rest is the time between two attempts
      connectIfDue(nowNs);
      return;
    }
    long leastNs = Math.max(RETRY_NS_MIN, node.resendIntervalNs());
    retryAfterNs = Math.min(RETRY_NS_MAX, Math.max(leastNs, 2 * retryAfterNs));
    retryNs = nowNs + retryAfterNs;
    connectIfDue(nowNs);
  }

  private void onLost(RtConnection lost) {
    if (connection == lost) {
      connection = null;
      reason = "the connection ended: " + lost.closeReason();
      ways.onLost(lost.closeReason(), nowNs());
      onLeft(lost);
      connectIfDue(nowNs());
    }
  }

  /** With several routers the peer is down only if the next attempt fails, too. */
  private void onLeft(RtConnection used) {
    whenLeft.accept(used);
    if (!ways.hasOthers()) {
      tell(false);
    }
  }

  private void tell(boolean isReachable) {
    if (isUp != isReachable && ways.source() == null) {
      isUp = isReachable;
      node.tell(peer, isReachable);
    }
  }

  /** Returns what was learnt of the next hops, by their names. */
  Map<String, LearntAddresses> learnt() {
    return ways.learnt();
  }

  /** Calls these with each connection that is taken, and that is left or was lost, for tests. */
  void onChange(Consumer<RtConnection> taken, Consumer<RtConnection> left) {
    onLoop(
        () -> {
          whenTaken = taken;
          whenLeft = left;
        });
  }

  /** Calls {@code action} with the connection to the router that is taken next, for tests. */
  void onStandby(Consumer<RtConnection> action) {
    onLoop(() -> action.accept(standby.ready()));
  }

  /** Calls {@code action} with the connection, for tests. */
  void onConnection(Consumer<RtConnection> action) {
    onLoop(() -> action.accept(connection));
  }

  // ---- time

  private long nowNs() {
    return loop.ticker().nanoTime();
  }

  /** Sees to it that something is looked at again at {@code atNs} at the latest. */
  private void arm(long atNs) {
    if (atNs >= alarmNs) {
      return;
    }
    if (alarm != null) {
      alarm.cancel(false);
    }
    alarmNs = atNs;
    long delayNs = Math.max(0, atNs - nowNs());
    alarm = loop.schedule(this::onAlarm, delayNs, TimeUnit.NANOSECONDS);
  }

  private void onAlarm() {
    alarm = null;
    alarmNs = Long.MAX_VALUE;
    long nowNs = nowNs();
    for (Call call : new ArrayList<>(calls.values())) {
      call.state.onTime(nowNs);
      advance(call, nowNs);
    }
    connectIfDue(nowNs);
    watch.watch();
    calls.values().forEach(call -> arm(call.state.deadlineNs()));
  }

  // ---- the end

  /** Takes no more messages, and ends those that are not on their way. */
  void drain() {
    onLoop(
        () -> {
          isClosed = true;
          if (standby != null) {
            standby.close();
          }
          endAll("the node is closed", false);
        });
  }

  /** Ends all messages: no connection is left. */
  void close() {
    onLoop(
        () -> {
          isClosed = true;
          endAll("the node is closed", true);
          if (alarm != null) {
            alarm.cancel(false);
          }
        });
  }

  private void endAll(String why, boolean isForced) {
    reason = why;
    List<Call> all = new ArrayList<>(calls.values());
    for (Call call : all) {
      if (isForced || !call.state.isUnderWay()) {
        call.state.onNothingMore();
        end(call, null);
      }
    }
  }

  private void onLoop(Runnable task) {
    if (loop.inEventLoop()) {
      task.run();
      return;
    }
    try {
      loop.execute(task);
    } catch (RejectedExecutionException e) {
      task.run(); // the loop has ended: nothing else runs any more
    }
  }

  /** Calls {@code action} on the loop when {@code future} is done. */
  private <T> void then(CompletableFuture<T> future, BiConsumer<T, Throwable> action) {
    future.whenComplete(
        (value, failure) -> onLoop(() -> action.accept(value, AttemptFailure.causeOf(failure))));
  }
}
