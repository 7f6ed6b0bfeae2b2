package io.rtransport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelPromise;
import io.netty.channel.FileRegion;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.ReferenceCounted;
import io.netty.util.internal.StringUtil;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.rtransport.core.connection.Connection;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.transaction.PushSupplier;
import io.rtransport.netty.OutboundMessage.Kind;
import io.rtransport.netty.RtChannelOption.WriteCompletes;
import io.rtransport.netty.internal.write.CancelWish;
import io.rtransport.netty.internal.write.CoalescedWrites;
import io.rtransport.netty.internal.write.Deadlines;
import io.rtransport.netty.internal.write.Writability;
import java.io.IOException;
import java.util.concurrent.CancellationException;

/**
 * Writes of a channel, from the write to the end of the promise. Nothing is submitted before it is
 * flushed. A submitted entry is the core's source of payload under its slot number, which is both
 * its handle and its tag. {@link WriteCompletions} ends promises outside the core's transmissions,
 * because their listeners may do anything. Confined to the event loop.
 */
final class WriteQueue implements CancelWish.Writes {
  private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(WriteQueue.class);

  private final LinkedChannel channel;
  private final Writability writability;
  private final OutboundPool pool = new OutboundPool();
  private final OutboundQueue written = new OutboundQueue(pool);
  private final OutboundQueue flushed = new OutboundQueue(pool);
  private final WriteCompletions completions;

  // Each of these is made once it is needed: thousands of connections may carry nothing.
  private OutboundQueue answers;
  private OutboundPayloads payloads;
  private SmallWrites smallWrites;
  private boolean isRefused;

  WriteQueue(LinkedChannel channel, Writability writability) {
    this.channel = channel;
    this.writability = writability;
    this.completions = new WriteCompletions(channel, pool);
  }

  /**
   * Returns the bytes that wait, as the water marks count them: of each message an overhead, and
   * its bytes if they are in memory.
   */
  long waitingBytes() {
    return writability.pendingBytes();
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

  // ---- calls of the pipeline

  /** Takes {@code message} over, or fails {@code promise} with the reason. */
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
      entry.pull(pull);
      deadline(entry, pull.deadlineNs());
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
      if (!promise.isVoid()) { // as in Netty's own channels, a void promise is not told
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

  // ---- entries that are given up

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

  /** Returns whether the deadline of {@code entry} came before there was room for it. */
  private boolean isOverdue(OutboundMessage entry) {
    return entry.deadlineNs != Deadlines.NONE
        && entry.deadlineNs <= channel.eventLoop().ticker().nanoTime();
  }

  private void payload(OutboundMessage entry, RtPayload payload, ReferenceCounted owner) {
    entry.payload(payload, owner);
    payload.attach(channel);
    payload.onReady(() -> channel.onLoop(() -> ready(entry, payload)));
  }

  /**
   * Adds the answer to a pull of the peer. It leaves without a flush. It is released if the pull
   * has ended with its connection.
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
   * Flushes the writes. They may leave now, and their promises cannot be cancelled any more. Writes
   * that were cancelled before are dropped.
   */
  void addFlush() {
    for (int left = written.size(); left > 0 && !written.isEmpty(); left--) {
      OutboundMessage entry = written.poll();
      if (entry.coalesced != null && smallWrites().pour(flushed.peekLast(), entry)) {
        drop(entry);
      } else if (entry.isVoid || entry.promise.setUncancellable()) {
        flushed.add(entry);
      } else if (entry.pull != null) { // somebody may wait for the answer
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

  // ---- submission to the core

  /** Submits the flushed entries in order, as many as the core takes. */
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
   * Submits the entries up to the next run.
   *
   * @param isInCore whether the core asks; no promise may end within its call, so failed entries
   *     are left to the end of the turn
   */
  private void submitFlushed(Connection connection, boolean isInCore) {
    // Entries that listeners flush meanwhile belong to another settlement. A listener that writes
    // again what failed would otherwise keep the loop here for ever.
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

  /** Returns whether a flushed entry waits that the core has not refused. */
  boolean hasSubmittable() {
    return !flushed.isEmpty() && !isRefused;
  }

  /**
   * Returns the next run, within a call of the core. Null if there is none, or if entries before it
   * were submitted just now.
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

  /** Drops the first flushed entry, a run whose bytes are all in packets. */
  void runTaken() {
    OutboundMessage taken = flushed.poll();
    drop(taken);
    onTakenInCore(taken);
  }

  /**
   * Tells that the core took {@code entry} from within a transmission. That may be too late for a
   * part of it.
   */
  private void onTakenInCore(OutboundMessage entry) {
    if (entry.kind() == Kind.PULL || entry.lengthBytes > PushSupplier.LENGTH_BYTES_MAX) {
      // If it needs a request, the request has its own window, which the core may have checked
      // already.
      channel.link().pumpDue();
    }
    if (flushed.isEmpty()) {
      channel.link().onDrained();
    }
  }

  /**
   * Tells, after a refusal, that an eighth of the core's places is free. Until then the core takes
   * no entry. Else every completion would send one packet with the few messages that it made room
   * for.
   */
  void onSubmittable() {
    isRefused = false;
  }

  /** Refuses {@code entry}: the agreed parameters leave no room for it. */
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
    entry.isEnded = entry.isVoid; // the end of a void write is not reported to its entry
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

  /** Drops a cancelled write: releases it; nobody waits for its promise. */
  private void drop(OutboundMessage entry) {
    settle(entry);
    if (entry.coalesced != null) {
      smallWrites.release(entry);
    }
    entry.releasePayload();
    pool.give(entry);
  }

  /** Makes no byte of {@code entry} count as waiting any more. */
  private void settle(OutboundMessage entry) {
    writability.remove(entry.pendingBytes);
    entry.pendingBytes = 0;
  }

  private void ready(OutboundMessage entry, RtPayload payload) {
    if (entry.payload == payload && channel.link() != null) {
      channel.link().connection().verbs().ready(entry.slot);
    }
  }

  /** Tells that the core releases a payload before it has asked for all of it. */
  void onSourceReleased(long handle) {
    onReleased(pool.bySlot((int) handle));
  }

  /** Releases the payload of {@code entry}: all of it is in packets, or none of it is wanted. */
  void onReleased(OutboundMessage entry) {
    settle(entry);
    entry.releasePayload();
    completions.onReleased(entry);
    if (entry.isEnded && entry.promise == null) {
      pool.give(entry);
    }
  }

  /** Returns the answer to the pull in {@code slot}, which is the tag and handle of its entries. */
  PullAnswer answerIn(long slot) {
    return pool.bySlot((int) slot).answer;
  }

  /** Returns why a payload could not be read, once; else null. */
  IOException takePayloadFailure() {
    return payloads == null ? null : payloads.takeFailure();
  }

  // ---- ends of entries

  /** Returns the ends of the writes' transactions. */
  WriteCompletions completions() {
    return completions;
  }

  /** Fails the entries that are not flushed, in order: the channel, or its output, is closing. */
  void failUnflushed(Exception cause) {
    failAll(take(written), cause);
  }

  /**
   * Fails the entries that were written and never submitted: the channel is not connected, or not
   * any more. Writes of listeners meanwhile are not included. Else a listener that writes again
   * what failed would keep the loop here for ever.
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

  /** Fails each entry. An application that throws there does not keep the rest from its end. */
  private void failAll(OutboundQueue entries, Exception cause) {
    for (OutboundMessage entry = entries.poll(); entry != null; entry = entries.poll()) {
      try {
        fail(entry, cause);
      } catch (RuntimeException | Error e) {
        LOGGER.warn("{}: a write failed, and its end has thrown", channel, e);
      }
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

  /** Tells how many bytes are in flight because the path is long. */
  void longPathBytes(long bytes) {
    writability.longPathBytes(bytes);
  }

  /** Returns the number of entries that are written and not ended. */
  int liveCount() {
    return pool.live();
  }
}
