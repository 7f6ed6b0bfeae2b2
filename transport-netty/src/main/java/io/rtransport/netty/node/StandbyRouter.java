package io.rtransport.netty.node;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.rail.NiError;
import io.rtransport.netty.Pull;
import io.rtransport.netty.facade.RtConnection;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Asks the router that would be taken next, while a peer's messages pass another one. So it is
 * connected when it is needed, and one that is dead is known before: it rests, its interfaces lose
 * health, and another one is asked.
 *
 * <p>It is asked for its name once a second while there are messages, and first a second after the
 * first one. A second after the last message there is no timer. No payload passes here. Confined to
 * {@code loop}.
 */
final class StandbyRouter {
  static final long INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);

  /** How long a router may take to say its name. */
  static final long ANSWER_NS = TimeUnit.SECONDS.toNanos(2);

  private final EventLoop loop;
  private final NodeContext node;
  private final Ways inUse;
  private final Ways beside;
  private final BooleanSupplier isBusy;
  private final Supplier<byte[]> question;
  private ScheduledFuture<?> tick;
  private boolean isClosed;
  private boolean isUnderWay; // an attempt to connect, or a question
  private RtConnection connection;
  private boolean isReady;
  private long answeredNs; // if isReady: when it has answered last

  /**
   * @param inUse the ways of the messages
   * @param isBusy whether a message has not ended
   * @param question the HELLO that asks a router who it is
   */
  StandbyRouter(
      EventLoop loop,
      NodeContext node,
      Ways inUse,
      BooleanSupplier isBusy,
      Supplier<byte[]> question) {
    this.loop = loop;
    this.node = node;
    this.inUse = inUse;
    this.beside = inUse.beside();
    this.isBusy = isBusy;
    this.question = question;
  }

  /** Notes that there is a message for the peer. */
  void onMessage() {
    if (tick == null && !isClosed && inUse.hasOthers()) {
      schedule();
    }
  }

  private void schedule() {
    tick = loop.schedule(this::onTick, INTERVAL_NS, TimeUnit.NANOSECONDS);
  }

  private void onTick() {
    tick = null;
    look();
    if (isBusy.getAsBoolean() && !isClosed) {
      schedule(); // else the next message does
    }
  }

  private void look() {
    long nowNs = loop.ticker().nanoTime();
    boolean isOld = connection != null && connection.closeReason() != null;
    if (isOld || connection != null && !isStillNext(nowNs)) {
      drop();
    }
    if (isUnderWay) {
      return;
    }
    if (connection != null) {
      ask();
      return;
    }
    PeerConfig router = beside.chooseBeside(inUse, nowNs);
    if (router != null) {
      isUnderWay = true;
      then(() -> node.connect(router), this::onConnected);
    }
  }

  private boolean isStillNext(long nowNs) {
    return !inUse.isBy(beside)
        && beside.isAwake(nowNs)
        && !beside.hasBetter(Map.of(), inUse, nowNs);
  }

  private void onConnected(RtConnection made, Throwable failure) {
    isUnderWay = false;
    if (isClosed) {
      if (failure == null) {
        abort(made);
      }
    } else if (failure == null) {
      connection = made;
      ask();
    } else if (AttemptFailure.isSilence(failure)) {
      beside.onSilence(NiError.PEER_NI_CONNECT_ERROR, loop.ticker().nanoTime());
    } else {
      beside.onNoWay(loop.ticker().nanoTime());
    }
  }

  private void ask() {
    RtConnection asked = connection;
    isUnderWay = true;
    then(() -> asked.pull(who()), (answer, failure) -> onAnswer(asked, answer, failure));
  }

  private Pull who() {
    return Pull.of(question.get(), Hello.ANSWER_LENGTH_MAX).deadline(Duration.ofNanos(ANSWER_NS));
  }

  private void onAnswer(RtConnection asked, byte[] answer, Throwable failure) {
    isUnderWay = false;
    if (connection != asked) {
      return; // messages pass it by now
    }
    long nowNs = loop.ticker().nanoTime();
    Hello hello = failure == null ? Hello.read(answer) : null;
    if (hello != null && hello.name().equals(beside.nextHop())) {
      isReady = true;
      answeredNs = nowNs;
      return;
    }
    CloseReason ended = asked.closeReason(); // as it is before this side's own abort
    drop();
    if (failure == null || AttemptFailure.isAnswer(failure)) {
      beside.onStranger(asked.remoteAddress(), true);
      beside.onNoWay(nowNs);
    } else if (ended != null) {
      beside.onLost(ended, nowNs);
    } else {
      beside.onNoWay(nowNs); // late, or this side could not ask: that says nothing of interfaces
    }
  }

  private void drop() {
    RtConnection dropped = connection;
    connection = null;
    isReady = false;
    abort(dropped);
  }

  /**
   * Ends a connection at once, for no payload passes here. A silent router would hold up a close.
   */
  private static void abort(RtConnection made) {
    made.channel().config().setSoLinger(0);
    made.channel().close();
  }

  /**
   * Returns the connection to the router that is taken now, and gives it away. Then {@code inUse}
   * has chosen that router. Null: none has answered in the last three seconds, or a better route
   * can be taken.
   *
   * @param used how often the message that waits was sent by each router, by name
   */
  RtConnection take(Map<String, Integer> used, long nowNs) {
    boolean isUsable =
        isReady
            && connection.closeReason() == null
            && nowNs - answeredNs < INTERVAL_NS + ANSWER_NS
            && beside.isAwake(nowNs)
            && !used.containsKey(beside.nextHop())
            && !beside.hasBetter(used, null, nowNs);
    if (!isUsable) {
      return null;
    }
    RtConnection taken = connection;
    connection = null;
    isReady = false;
    inUse.adopt(beside);
    return taken;
  }

  /** Returns the connection that is ready; null: none. For tests. */
  RtConnection ready() {
    return isReady ? connection : null;
  }

  /** Asks nobody any more. */
  void close() {
    isClosed = true;
    if (tick != null) {
      tick.cancel(false);
    }
    if (connection != null) {
      drop();
    }
  }

  private <T> void then(Supplier<CompletableFuture<T>> call, BiConsumer<T, Throwable> action) {
    CompletableFuture<T> future;
    try {
      future = call.get();
    } catch (RuntimeException e) { // else nothing would be asked any more
      future = CompletableFuture.failedFuture(e);
    }
    future.whenComplete(
        (value, failure) -> {
          try {
            loop.execute(() -> action.accept(value, AttemptFailure.causeOf(failure)));
          } catch (RejectedExecutionException e) {
            // the node has ended, and so have its connections
          }
        });
  }
}
