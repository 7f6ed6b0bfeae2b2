package io.rtransport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelPromise;
import io.netty.channel.FileRegion;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.ReferenceCounted;
import io.netty.util.internal.StringUtil;
import io.rtransport.core.connection.Connection;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.Outcome;
import io.rtransport.core.transaction.PushSupplier;
import io.rtransport.core.wire.CloseCode;
import io.rtransport.netty.OutboundMessage.Kind;
import io.rtransport.netty.RtChannelOption.WriteCompletes;
import io.rtransport.netty.internal.write.CancelWish;
import io.rtransport.netty.internal.write.CoalescedWrites;
import io.rtransport.netty.internal.write.Deadlines;
import io.rtransport.netty.internal.write.Writability;
import java.io.IOException;
import java.util.concurrent.CancellationException;

/**
 * What was written to a channel, from the write to the end of its promise. Nothing is submitted
 * before it is flushed; what is submitted is the core's source of payload under its slot number,
 * which is its handle and its tag alike. Promises end outside the core's transmissions, by {@link
 * WriteCompletions}, for their listeners may do anything. Confined to the event loop.
 */
final class WriteQueue implements CancelWish.Writes {
  private final LinkedChannel channel;
  private final Writability writability;
  private final OutboundPool pool = new OutboundPool();
  private final OutboundQueue written = new OutboundQueue(pool);
  private final OutboundQueue flushed = new OutboundQueue(pool);
  private final WriteCompletions completions;

  // Each once it is needed: thousands of connections may carry nothing.
  private OutboundQueue answers;
  private OutboundPayloads payloads;
  private SmallWrites smallWrites;
  private boolean isRefused;

  WriteQueue(LinkedChannel channel, Writability writability) {
    this.channel = channel;
    this.writability = writability;
    this.completions = new WriteCompletions(channel, pool);
  }

  SmallWrites smallWrites() {
    if (smallWrites == null) {
      smallWrites = new SmallWrites(channel, this, writability);
    }
    return smallWrites;
  }

  private OutboundPayloads payloads() {
    if (payloads == null) {
      payloads = new OutboundPayloads(channel, this, pool, writability);
    }
    return payloads;
  }

  // ---- what the pipeline brings

  /** Takes {@code message} over, or fails {@code promise} with the reason why not. */
  void add(Object message, ChannelPromise promise) {
    if (promise == channel.voidPromise()
        && message instanceof ByteBuf buffer
        && smallWrites().join(written.peekLast(), buffer)) {
      return;
    }
    OutboundMessage entry = pool.take();
    entry.completes(channel.config().writeCompletes());
    if (promise == channel.voidPromise() && !(message instanceof Pull)) {
      entry.isVoid = true;
    } else {
      entry.promise = promise;
    }
    if (message instanceof ByteBuf buffer) {
      entry.kind(Kind.PLAIN);
      entry.buffer(buffer);
    } else if (message instanceof Push push) {
      entry.kind(Kind.PUSH);
      entry.header(push.header());
      payload(entry, push.payload(), push);
      entry.wish = push.wish();
      deadline(entry, push.deadlineNs());
    } else if (message instanceof Pull pull) {
      entry.kind(Kind.PULL);
      entry.header(pull.header());
      entry.pull = pull;
      pull.taken();
      entry.wish = pull.wish();
      deadline(entry, pull.deadlineNs());
      entry.isReleased = true;
      entry.pendingBytes = OutboundMessage.OVERHEAD_BYTES;
    } else if (message instanceof FileRegion region) {
      entry.kind(Kind.PLAIN);
      RtPayload payload = RtPayload.of(region);
      payload(entry, payload, payload);
    } else if (message instanceof RtPayload payload) {
      entry.kind(Kind.PLAIN);
      payload(entry, payload, payload);
    } else {
      pool.give(entry);
      ReferenceCountUtil.release(message);
      if (!promise.isVoid()) { // nobody is told of it, as with Netty's own channels
        promise.tryFailure(
            new UnsupportedOperationException(
                "unsupported message type: "
                    + StringUtil.simpleClassName(message)
                    + " (expected: ByteBuf, Push, Pull, RtPayload, FileRegion)"));
      }
      return;
    }
    written.add(entry);
    writability.add(entry.pendingBytes);
    if (entry.wish != null) {
      entry.wish.written(this, entry.slot);
    }
  }

  // ---- giving up

  @Override
  public void cancelDue(CancelWish wish) {
    channel
        .eventLoop()
        .execute(() -> cancel(wish)); // never within a call of the core or of a write
  }

  private void deadline(OutboundMessage entry, long withinNs) {
    if (withinNs != Deadlines.NONE) {
      entry.deadlineNs = channel.eventLoop().ticker().nanoTime() + withinNs;
    }
  }

  private void cancel(CancelWish wish) {
    OutboundMessage entry = wish.hasEnded() ? null : pool.bySlot(wish.slot());
    if (entry == null || entry.isGivenUp || (entry.isEnded && !entry.isVoid)) {
      return;
    }
    if (entry.isSubmitted) {
      channel.onLoop(() -> channel.link().connection().verbs().cancel(entry.rsn));
      return;
    }
    entry.isGivenUp = true;
    settle(entry);
    entry.releasePayload();
    end(entry, RtException.notExecuted(CloseCode.CANCELLED));
  }

  /** Its deadline came before there was room for it. */
  private boolean isOverdue(OutboundMessage entry) {
    return entry.deadlineNs != Deadlines.NONE
        && entry.deadlineNs <= channel.eventLoop().ticker().nanoTime();
  }

  private void payload(OutboundMessage entry, RtPayload payload, ReferenceCounted owner) {
    entry.payload = payload;
    entry.owner = owner;
    entry.lengthBytes = payload.lengthBytes();
    entry.pendingBytes =
        OutboundMessage.OVERHEAD_BYTES + (payload.isInMemory() ? entry.lengthBytes : 0);
    payload.attach(channel);
    payload.onReady(() -> channel.onLoop(() -> ready(entry, payload)));
  }

  /**
   * The answer to a pull of the peer; leaves without a flush, or is released if the pull has ended
   * with its connection.
   */
  void addAnswer(long rsn, RtPayload payload) {
    if (channel.closeReason() != null) {
      payload.release();
      return;
    }
    OutboundMessage entry = pool.take();
    entry.kind(Kind.ANSWER);
    entry.isEnded = true;
    entry.rsn = rsn;
    payload(entry, payload, payload);
    answers = answers == null ? new OutboundQueue(pool) : answers;
    answers.add(entry);
    writability.add(entry.pendingBytes);
  }

  /**
   * What is written now may leave, and its promises cannot be cancelled any more: what was
   * cancelled before goes.
   */
  void addFlush() {
    for (int left = written.size(); left > 0 && !written.isEmpty(); left--) {
      OutboundMessage entry = written.poll();
      if (entry.coalesced != null && smallWrites().pour(flushed.peekLast(), entry)) {
        drop(entry);
      } else if (entry.isVoid || entry.promise.setUncancellable()) {
        flushed.add(entry);
      } else if (entry.pull != null) { // somebody may wait for its answer
        fail(entry, new CancellationException("the write was cancelled before its flush"));
      } else {
        drop(entry);
      }
    }
  }

  boolean hasFlushed() {
    return !flushed.isEmpty() || hasAnswers();
  }

  private boolean hasAnswers() {
    return answers != null && !answers.isEmpty();
  }

  // ---- what the core pulls

  /** Submits what is flushed, in order, as far as the core takes it. */
  void submit(Connection connection) {
    while (hasAnswers()) {
      OutboundMessage answer = answers.poll();
      if (!connection.verbs().respond(answer.rsn, payloads(), answer.slot, answer.lengthBytes)) {
        onReleased(answer); // the pull has ended
      }
    }
    submitFlushed(connection, false);
    if (hasSubmittable()) {
      connection.verbs().pushesReady();
    }
  }

  /**
   * Submits up to the next run.
   *
   * @param isInCore whether the core asks, in whose call no promise may end: what has failed is
   *     left to the end of the turn
   */
  private void submitFlushed(Connection connection, boolean isInCore) {
    // What listeners flush meanwhile is another settlement's, or one that writes again what failed
    // would keep the loop here for ever.
    for (int left = flushed.size(); left > 0 && hasSubmittable(); left--) {
      OutboundMessage entry = flushed.peek();
      if (entry.coalesced != null) {
        return;
      }
      if (entry.isGivenUp) { // before there was room
        drop(flushed.poll());
        continue;
      }
      Exception failure = isOverdue(entry) ? RtException.notExecuted(CloseCode.DEADLINE) : null;
      try {
        if (failure == null && !submitOne(connection, entry)) {
          isRefused = true;
          return;
        }
      } catch (IllegalArgumentException e) {
        failure = e;
      }
      if (failure != null && isInCore) {
        channel.link().pumpDue();
        return;
      }
      flushed.poll();
      if (isInCore) {
        onTakenInCore(entry);
      }
      if (failure instanceof IllegalArgumentException refusal) {
        refuse(entry, refusal);
      } else if (failure != null) {
        fail(entry, failure);
      }
    }
  }

  /** Whether something flushed waits that the core has not refused. */
  boolean hasSubmittable() {
    return !flushed.isEmpty() && !isRefused;
  }

  /**
   * The run that is next, within a call of the core; null when there is none, or others were
   * submitted that go before it.
   */
  CoalescedWrites nextRun() {
    OutboundMessage first = flushed.peek();
    if (first != null && first.coalesced == null) {
      submitFlushed(channel.link().connection(), true);
      return null;
    }
    return first == null ? null : first.coalesced;
  }

  OutboundMessage firstFlushed() {
    return flushed.peek();
  }

  /** The first flushed was a run, and all of it is in packets. */
  void runTaken() {
    OutboundMessage taken = flushed.poll();
    drop(taken);
    onTakenInCore(taken);
  }

  /**
   * The core has taken {@code entry} from within a transmission, for a part of which it may be too
   * late.
   */
  private void onTakenInCore(OutboundMessage entry) {
    if (entry.kind() == Kind.PULL || entry.lengthBytes > PushSupplier.LENGTH_BYTES_MAX) {
      // Its request, if it needs one, has a window of its own, which may have been looked at
      // before.
      channel.link().pumpDue();
    }
    if (flushed.isEmpty()) {
      channel.link().onDrained();
    }
  }

  /**
   * After a refusal: the core has an eighth of its places free. Until then none is taken, or every
   * completion would send one packet for the few messages that it made room for.
   */
  void onSubmittable() {
    isRefused = false;
  }

  /** What was agreed leaves no room for it. */
  private void refuse(OutboundMessage entry, IllegalArgumentException cause) {
    if (entry.kind() == Kind.PLAIN) {
      int code = CloseCode.REFUSED_BY_SINK.code();
      completions.notePlain(
          new RtException(Outcome.NOT_EXECUTED, code, cause.getMessage(), true), entry.isVoid);
    }
    fail(entry, cause);
  }

  private boolean submitOne(Connection connection, OutboundMessage entry) {
    entry.rsn = connection.verbs().nextSubmission();
    entry.isSubmitted = submitAs(connection, entry);
    // Nobody waits for a void promise, and its tag names no entry.
    if (entry.isSubmitted && !entry.isVoid && entry.completes() == WriteCompletes.RECEIVED) {
      connection.verbs().receipt(entry.rsn);
    }
    if (entry.isSubmitted && entry.deadlineNs != Deadlines.NONE) {
      connection.verbs().deadline(entry.rsn, entry.deadlineNs);
    }
    return entry.isSubmitted;
  }

  private boolean submitAs(Connection connection, OutboundMessage entry) {
    int headerLength = entry.header.capacity();
    if (entry.kind() == Kind.PULL) {
      if (entry.answer == null) {
        entry.answer = new PullAnswer(channel, entry.pull.sink());
      }
      boolean isSubmitted =
          connection
              .verbs()
              .submitPull(entry.pull.lengthBytesMax(), entry.header, 0, headerLength, entry.slot);
      if (isSubmitted) {
        settle(entry);
      }
      return isSubmitted;
    }
    long tag =
        !entry.isVoid
            ? entry.slot
            : entry.kind() == Kind.PLAIN
                ? WriteCompletions.VOID_PLAIN_TAG
                : WriteCompletions.VOID_PUSH_TAG;
    entry.isEnded = entry.isVoid; // its end is not its entry's
    // RECEIVED waits for the acknowledgement, which comes with the completion.
    boolean isAwaited = !entry.isVoid && entry.completes() != WriteCompletes.SENT;
    return connection
        .verbs()
        .submitPush(
            payloads(),
            entry.slot,
            entry.lengthBytes,
            entry.header,
            0,
            headerLength,
            tag,
            isAwaited);
  }

  /** A cancelled write: released, and nobody waits for its promise. */
  private void drop(OutboundMessage entry) {
    settle(entry);
    if (entry.coalesced != null) {
      smallWrites.release(entry);
    }
    entry.releasePayload();
    pool.give(entry);
  }

  /** Nothing of it counts as waiting any more. */
  private void settle(OutboundMessage entry) {
    writability.remove(entry.pendingBytes);
    entry.pendingBytes = 0;
  }

  private void ready(OutboundMessage entry, RtPayload payload) {
    if (entry.payload == payload && channel.link() != null) {
      channel.link().connection().verbs().ready(entry.slot);
    }
  }

  /** The core lets go of a payload before it has asked for all of it. */
  void onSourceReleased(long handle) {
    onReleased(pool.bySlot((int) handle));
  }

  /** The payload of {@code entry} is released: all of it is in packets, or none of it is wanted. */
  void onReleased(OutboundMessage entry) {
    settle(entry);
    entry.releasePayload();
    completions.onReleased(entry);
    if (entry.isEnded && entry.promise == null) {
      pool.give(entry);
    }
  }

  // ---- answers to pulls, whose handles are the slots of their pulls

  void onAnswerOpened(Connection connection, OutboxEntry opened) {
    long rsn = opened.rsn();
    long slot = opened.tag();
    PullAnswer answer = pool.bySlot((int) slot).answer;
    if (!answer.open(rsn, opened.messageLength())) {
      connection.verbs().refuseAnswer(rsn, CloseCode.REFUSED_BY_SINK.code(), true);
    } else if (!connection.verbs().acceptAnswer(rsn, slot, answer.untakenBytesMax())) {
      answer.deliver(false);
    }
  }

  void onAnswerBytes(Connection connection, OutboxEntry bytes) {
    long rsn = bytes.rsn();
    int length = bytes.length();
    PullAnswer answer = pool.bySlot((int) bytes.handle()).answer;
    int taken = answer.write(bytes.messageOffset(), bytes.buffer(), bytes.offset(), length);
    if (taken == PullAnswer.FAILED) {
      connection.verbs().failAnswerSink(rsn);
      return;
    }
    if (taken < length) {
      connection.verbs().limitUntakenOfPull(rsn, answer.untakenBytesMax());
    }
    connection.verbs().takenOfPull(rsn, taken);
  }

  void onAnswerDelivered(OutboxEntry delivered) {
    pool.bySlot((int) delivered.handle()).answer.deliver(delivered.isWhole());
  }

  /** Why a payload could not be read, once; else null. */
  IOException takePayloadFailure() {
    return payloads == null ? null : payloads.takeFailure();
  }

  // ---- ends

  /** What has ended, and how. */
  WriteCompletions completions() {
    return completions;
  }

  /** Fails what is not flushed, in order: the channel is closing, or its output. */
  void failUnflushed(Exception cause) {
    failAll(take(written), cause);
  }

  /**
   * Fails what was written and never submitted: the channel is not connected, or no more. What a
   * listener writes meanwhile is not meant, or one that writes again what failed would never let go
   * of the loop.
   */
  void failQueued(Exception cause) {
    OutboundQueue first = take(flushed);
    OutboundQueue then = take(written);
    failAll(first, cause);
    failAll(then, cause);
    while (hasAnswers()) {
      drop(answers.poll());
    }
  }

  private OutboundQueue take(OutboundQueue from) {
    OutboundQueue taken = new OutboundQueue(pool);
    for (OutboundMessage entry = from.poll(); entry != null; entry = from.poll()) {
      taken.add(entry);
    }
    return taken;
  }

  private void failAll(OutboundQueue entries, Exception cause) {
    for (OutboundMessage entry = entries.poll(); entry != null; entry = entries.poll()) {
      fail(entry, cause);
    }
  }

  private void fail(OutboundMessage entry, Exception cause) {
    ChannelPromise promise = entry.isVoid ? channel.voidPromise() : entry.promise;
    Pull pull = entry.pull;
    PullAnswer answer = entry.answer;
    int count = entry.isGivenUp ? 0 : entry.coalesced == null ? 1 : entry.coalesced.count();
    drop(entry);
    for (int i = 0; i < count; i++) {
      end(promise, pull, answer, cause);
    }
  }

  private void end(OutboundMessage entry, Exception cause) {
    end(entry.isVoid ? channel.voidPromise() : entry.promise, entry.pull, entry.answer, cause);
  }

  private void end(ChannelPromise promise, Pull pull, PullAnswer answer, Exception cause) {
    if (pull != null) {
      (answer == null ? new PullAnswer(channel, pull.sink()) : answer).fail(promise, pull, cause);
    } else {
      promise.tryFailure(cause);
    }
  }

  /** So much is in flight because the path is long. */
  void longPathBytes(long bytes) {
    writability.longPathBytes(bytes);
  }

  /** Things written and not ended. */
  int liveCount() {
    return pool.live();
  }
}
