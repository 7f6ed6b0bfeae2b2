package io.rtransport.netty.queue;

import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCountUtil;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.queue.Claim;
import io.rtransport.core.queue.CompletionQueue;
import io.rtransport.core.queue.DeferredIds;
import io.rtransport.core.queue.SubmissionRing;
import io.rtransport.netty.internal.write.Deadlines;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One connection of {@link RtQueues}. Any thread may post, cancel a post and close; the thread that
 * polls answers.
 *
 * <p>Each post that is taken ends in exactly one {@link RtQueueHandler#onCompletion}. A post that
 * is refused is answered by a negative number and never by an exception: nothing was kept of it.
 * Posts of one thread leave in their order.
 */
public final class RtQueueConnection {
  /** Answer to a post: no room now. Polling makes room, or packets that leave do. */
  public static final long BACK_PRESSURED = -1;

  /** Answer to a post: the connection is closed for good. */
  public static final long CLOSED = -2;

  /** Answer to a post: the message or its header is longer than this method takes. */
  public static final long TOO_LONG = -3;

  /** Code of the answer to what nobody serves. */
  static final int NOT_SERVED = CloseCode.APPLICATION_CODE_MIN;

  private static final byte[] NO_BYTES = {};
  private static final long REQUEST_BIT = 1L << 62;

  final QueueLink link;
  final ConnectionRings rings;
  final ByteBuffer inboundView;
  private final CompletionQueue completions;
  private final SubmissionRing submissions;
  private final ThreadParker consumer;
  private final int answerBytesMax;
  private final Runnable signal;
  private final AtomicBoolean hasUnflushed = new AtomicBoolean();
  private int runFirst; // RSN of the first message that was acknowledged and not put
  private int runLength;
  private final DeferredIds deferred = new DeferredIds();
  private boolean isRemoved;
  boolean isTouched;
  boolean isOpenTold;
  boolean isFinishUntold;
  boolean isFailureLogged;

  RtQueueConnection(
      QueueLink link,
      ConnectionRings rings,
      ThreadParker consumer,
      Runnable signal,
      int answerBytesMax) {
    this.signal = signal;
    this.link = link;
    this.rings = rings;
    this.consumer = consumer;
    this.answerBytesMax = answerBytesMax;
    completions = rings.completions;
    submissions = rings.submissions;
    inboundView = ByteBuffer.wrap(rings.inbound.bytes()).asReadOnlyBuffer();
  }

  // ---- posting: any thread

  /**
   * Posts a push of a copy of some bytes.
   *
   * @param tag value that the end brings back, 0 to 2^63 - 1
   * @return the number of posts before it, in 31 bits, by which {@link #cancel} finds it; or {@link
   *     #BACK_PRESSURED}, {@link #CLOSED}, or {@link #TOO_LONG} if it is longer than {@link
   *     #copyBytesMax}
   * @throws IllegalArgumentException if the tag is negative
   * @throws IndexOutOfBoundsException if the bytes are not all in the array
   */
  public long submitPush(byte[] from, int offset, int length, long tag) {
    return copyPush(from, offset, length, tag, Deadlines.NONE);
  }

  /**
   * Posts as {@link #submitPush(byte[], int, int, long)} does, with a deadline. If the post has not
   * ended so long after this call, it is given up as by {@link #cancel}, with {@link
   * CloseCode#DEADLINE}. A deadline ends its post, never the connection.
   *
   * @param deadline 1 ns to 365 days. Over NIO it has a grain of a millisecond
   * @throws IllegalArgumentException also if the deadline is outside its range
   */
  public long submitPush(byte[] from, int offset, int length, long tag, Duration deadline) {
    return copyPush(from, offset, length, tag, dueNs(deadline));
  }

  private long copyPush(byte[] from, int offset, int length, long tag, long dueNs) {
    Objects.checkFromIndexSize(offset, length, from.length);
    long claim = claim(length, length, tag);
    if (claim >= 0) {
      System.arraycopy(from, offset, submissions.bytes(), submissions.offsetOf(claim), length);
      publish(claim, ConnectionRings.COPIED, tag, 0, length, null, dueNs);
    }
    return positionOf(claim);
  }

  private long dueNs(Duration deadline) {
    long withinNs = Deadlines.checked(Objects.requireNonNull(deadline, "deadline"));
    return link.queue.loop.ticker().nanoTime() + withinNs;
  }

  /**
   * Posts as {@link #submitPush(byte[], int, int, long)} does, a copy of bytes below the buffer's
   * limit; its position has no meaning and stays. Nothing is posted if it throws.
   */
  public long submitPush(ByteBuffer from, int offset, int length, long tag) {
    return copyPush(from, offset, length, tag, Deadlines.NONE);
  }

  /** Posts a copy of bytes of a buffer, with a deadline as of the method for an array. */
  public long submitPush(ByteBuffer from, int offset, int length, long tag, Duration deadline) {
    return copyPush(from, offset, length, tag, dueNs(deadline));
  }

  private long copyPush(ByteBuffer from, int offset, int length, long tag, long dueNs) {
    Objects.checkFromIndexSize(offset, length, from.limit());
    long claim = claim(length, length, tag);
    if (claim >= 0) {
      try {
        from.get(offset, submissions.bytes(), submissions.offsetOf(claim), length);
      } catch (RuntimeException e) { // another thread has changed its limit
        publish(claim, ConnectionRings.GIVEN_UP, tag, 0, length, null, Deadlines.NONE);
        throw e;
      }
      publish(claim, ConnectionRings.COPIED, tag, 0, length, null, dueNs);
    }
    return positionOf(claim);
  }

  /**
   * Posts a push of a buffer that is lent: it is not copied, and must not be changed.
   *
   * @param header application header, at most 512 bytes, copied; null for none
   * @param payload from its reader index on. If the answer is not negative it is taken over, and
   *     released once; else it stays the caller's
   * @return as {@link #submitPush(byte[], int, int, long)}; TOO_LONG is about the header. A payload
   *     longer than the peer takes ends as not executed
   */
  public long submitPush(byte[] header, ByteBuf payload, long tag) {
    return lendPush(header, payload, tag, Deadlines.NONE);
  }

  /** Posts a push of a buffer that is lent, with a deadline as of the method for an array. */
  public long submitPush(byte[] header, ByteBuf payload, long tag, Duration deadline) {
    return lendPush(header, payload, tag, dueNs(deadline));
  }

  private long lendPush(byte[] header, ByteBuf payload, long tag, long dueNs) {
    byte[] copied = header == null ? NO_BYTES : header;
    int length = payload.readableBytes();
    return post(ConnectionRings.LENT, copied, length, tag, payload, dueNs);
  }

  /**
   * Posts a pull. Its answer stands in the entry of its end.
   *
   * @param header names the bytes, at most 512 bytes, copied
   * @param lengthBytesMax length of the longest answer wanted, 0 to {@link
   *     RtQueueConfig#messageBytesMax}
   * @return as {@link #submitPush(byte[], int, int, long)}
   * @throws IllegalArgumentException if the tag is negative or the length outside its range
   */
  public long submitPull(byte[] header, int lengthBytesMax, long tag) {
    return postPull(header, lengthBytesMax, tag, Deadlines.NONE);
  }

  /** Posts a pull with a deadline as of {@link #submitPush(byte[], int, int, long, Duration)}. */
  public long submitPull(byte[] header, int lengthBytesMax, long tag, Duration deadline) {
    return postPull(header, lengthBytesMax, tag, dueNs(deadline));
  }

  private long postPull(byte[] header, int lengthBytesMax, long tag, long dueNs) {
    if (lengthBytesMax < 0 || lengthBytesMax > answerBytesMax) {
      throw new IllegalArgumentException(
          "lengthBytesMax=" + lengthBytesMax + ", valid: 0.." + answerBytesMax);
    }
    return post(ConnectionRings.PULL, header, lengthBytesMax, tag, null, dueNs);
  }

  private long post(int kind, byte[] header, int length, long tag, ByteBuf payload, long dueNs) {
    if (header.length > ConnectionRings.HEADER_MAX) {
      return TOO_LONG;
    }
    long claim = claim(header.length, 0, tag);
    if (claim >= 0) {
      System.arraycopy(header, 0, submissions.bytes(), submissions.offsetOf(claim), header.length);
      publish(claim, kind, tag, header.length, length, payload, dueNs);
    }
    return positionOf(claim);
  }

  private long claim(int bytes, int copied, long tag) {
    if (tag < 0) {
      throw new IllegalArgumentException("tag=" + tag + ", valid: 0.." + Long.MAX_VALUE);
    }
    if (copied > submissions.lengthMax()) {
      return TOO_LONG;
    }
    Claim room = completions.tryPost(1);
    if (room != Claim.TAKEN) {
      return room == Claim.CLOSED ? CLOSED : backPressured();
    }
    long claim = submissions.tryClaim(bytes);
    if (claim == SubmissionRing.NO_ROOM) {
      completions.giveBack(1);
      if (completions.isClosed()) {
        signal.run(); // perhaps the last that its end waits for
      }
      return backPressured();
    }
    return claim;
  }

  /** Has what was posted leave: without that no end would come that makes room. */
  private long backPressured() {
    if (hasUnflushed.get()) {
      flush();
    }
    return BACK_PRESSURED;
  }

  private void publish(
      long claim, int kind, long tag, int headerLength, long length, ByteBuf payload, long dueNs) {
    if (dueNs == Deadlines.NONE) {
      submissions.publish(claim, kind, tag, headerLength, length, payload);
    } else {
      submissions.publishWithDeadline(claim, kind, tag, headerLength, length, payload, dueNs);
    }
    if (rings.isAutoFlush) {
      ring();
    } else {
      hasUnflushed.lazySet(true);
    }
  }

  /**
   * Sets whether each post is flushed by itself, which is so at first. If not, posts wait until
   * {@link #flush}, {@link #finish}, {@link #close()}, a post that is refused for want of room, or
   * any answer to this peer. A flush costs each time as much as a post, so threads that post many
   * messages in a row are faster with one flush for 16 to 64 of them. Set it before the first post.
   * Any thread.
   */
  public void autoFlush(boolean isOn) {
    rings.isAutoFlush = isOn;
    if (isOn) {
      flush();
    }
  }

  /** Has the event loop take what was posted. Without effect if it knows. Any thread. */
  public void flush() {
    hasUnflushed.getAndSet(false); // before the bell: what is posted from here on is not heard of
    ring();
  }

  /**
   * Gives up a post: nothing more of it is sent, and what was lent with it is released. Its one end
   * comes all the same. It says NOT_EXECUTED and {@link CloseCode#CANCELLED} unless the peer's
   * application had the push (its normal end) or had seen the pull (UNKNOWN). What has ended stays
   * as it is. A cancel never waits behind posts, and flushes them. Any thread.
   *
   * @param post what the post's method returned, of the last 2^29 posts
   * @return false if nothing happens: no post is under way, or the event loop has yet to look at
   *     cancels of twice as many others as may be. If true, the loop hears of it, unless it has
   *     ended, and the post's end says what became of it
   * @throws IllegalArgumentException if {@code post} is no number of a post
   */
  public boolean cancel(long post) {
    if (post < 0 || post > Integer.MAX_VALUE) {
      throw new IllegalArgumentException("post=" + post + ", valid: 0.." + Integer.MAX_VALUE);
    }
    if (completions.posted() == 0 || !rings.cancel((int) post)) {
      return false;
    }
    flush();
    return true;
  }

  private static long positionOf(long claim) {
    return claim < 0 ? claim : claim >>> Integer.SIZE;
  }

  /** Has the loop look at the rings, unless it will anyway. Any thread. */
  void ring() {
    if (rings.bell.ring()) {
      link.schedule();
    }
  }

  /** Returns the longest push that is copied, in bytes: an eighth of {@code submissionBytes}. */
  public int copyBytesMax() {
    return submissions.lengthMax();
  }

  /**
   * Returns how many posts have no end that was polled. During a poll, those whose ends it is about
   * to hand over may be missing, up to 16. Any thread.
   */
  public int posted() {
    return completions.posted();
  }

  // ---- answering: the thread that polls

  /**
   * Acknowledges a message that was deferred: the application has taken it.
   *
   * @param id of its entry
   * @throws IllegalStateException if that entry is not deferred, has its answer or is a request, or
   *     by another thread. Nothing has happened then
   */
  public void acknowledge(long id) {
    checkDeferred("acknowledge", id, isRequest(id) ? "a message" : null);
    answer(ConnectionRings.ACKNOWLEDGE, id, 0, null);
  }

  /**
   * Refuses a message or a request that was deferred, for the application.
   *
   * @param code from {@link CloseCode#APPLICATION_CODE_MIN}
   * @param text for people; at most 256 bytes of UTF-8 arrive
   * @throws IllegalArgumentException if the code is one of RT's own
   * @throws IllegalStateException if that entry is not deferred or has its answer, or by another
   *     thread. Nothing has happened then
   */
  public void fail(long id, int code, String text) {
    checkCode(code);
    Objects.requireNonNull(text, "text");
    checkDeferred("fail", id, null);
    answer(ConnectionRings.FAIL, id, code, text);
  }

  private static void checkCode(int code) {
    if (code >= 0 && code < CloseCode.APPLICATION_CODE_MIN) {
      throw new IllegalArgumentException(
          "code=" + code + ", valid: from " + CloseCode.APPLICATION_CODE_MIN);
    }
  }

  /**
   * Answers a request that was deferred.
   *
   * @param payload from its reader index on. Taken over, and released once. If it is longer than
   *     the request's limit, the request fails with {@link CloseCode#APPLICATION_ERROR}
   * @throws IllegalStateException if that entry is not deferred, has its answer or is a message, or
   *     by another thread. Nothing has happened then: the payload stays the caller's
   */
  public void respond(long id, ByteBuf payload) {
    Objects.requireNonNull(payload, "payload");
    checkDeferred("respond", id, isRequest(id) ? null : "a request");
    answer(ConnectionRings.RESPOND, id, 0, payload);
  }

  /** Returns the id of a request: a message may have the same number. */
  static long idOfRequest(long rsn) {
    return REQUEST_BIT | rsn;
  }

  private static boolean isRequest(long id) {
    return (id & REQUEST_BIT) != 0;
  }

  /** Checks the call of an answer, and that it is the first. */
  private void checkDeferred(String verb, long id, String otherKind) {
    consumer.checkThread(verb);
    if (otherKind != null || !deferred.remove(id)) {
      String valid = otherKind == null ? "an entry that is deferred, once" : otherKind;
      throw new IllegalStateException(verb + " of id=" + id + ", valid: " + valid);
    }
  }

  /** Notes that an entry was deferred. */
  void onDeferred(long id) {
    deferred.add(id);
  }

  /** Acknowledges a message, which the loop hears after the poll: one answer for a run of them. */
  void acknowledgeInPoll(long id) {
    if (id >>> Integer.SIZE != 0) {
      answer(ConnectionRings.ACKNOWLEDGE, id, 0, null);
      return;
    }
    if (runLength > 0 && (int) id != runFirst + runLength) {
      putRun();
    }
    if (runLength == 0) {
      runFirst = (int) id;
    }
    runLength++;
  }

  private void putRun() {
    if (!isRemoved) {
      rings.answers.put(ConnectionRings.ACKNOWLEDGE_RUN, runFirst, runLength, null);
    }
    runLength = 0;
  }

  /** Has the loop take what was answered in a poll. */
  void endPoll() {
    isTouched = false;
    if (runLength > 0) {
      putRun();
    }
    ring();
  }

  /** Puts an answer, which the loop takes after the poll. */
  void answer(int kind, long id, int code, Object detail) {
    if (runLength > 0) {
      putRun();
    }
    if (isRemoved) { // its peer has heard of the end, and the loop has released what was lent
      ReferenceCountUtil.release(detail);
      return;
    }
    long slotAndCode = id & ~REQUEST_BIT & 0xFFFF_FFFF_0000_0000L | code & 0xFFFF_FFFFL;
    rings.answers.put(kind, (int) id, slotAndCode, detail);
    if (!isTouched) {
      ring();
    }
  }

  /** Takes no more answers: the connection has ended, and all of it was handed over. */
  void onRemoved() {
    isRemoved = true;
    link.dispose();
  }

  // ---- the connection

  /**
   * Begins no more transactions: posts are refused from now on. What was posted leaves, and its
   * ends follow; the peer's transactions go on. Any thread.
   */
  public void finish() {
    completions.closePosts();
    link.finish();
  }

  /**
   * Closes the connection. What was posted leaves first, for some seconds at most. {@link
   * RtQueueHandler#onClosed} follows. Any thread.
   */
  public void close() {
    close(CloseCode.NORMAL.code(), "");
  }

  /**
   * Closes as {@link #close()} does, with a reason that the peer reads.
   *
   * @param code from {@link CloseCode#APPLICATION_CODE_MIN}
   * @throws IllegalArgumentException if the code is one of RT's own
   */
  public void close(int code, String text) {
    if (code != CloseCode.NORMAL.code()) {
      checkCode(code);
    }
    Objects.requireNonNull(text, "text");
    completions.close();
    link.close(code, text);
  }

  /**
   * Returns the peer's address at the other end of a rail, the last one if it has closed; null if
   * it was never open. Any thread.
   *
   * @param rail 0 to 7
   * @throws IllegalArgumentException outside this range
   */
  public InetSocketAddress railAddress(int rail) {
    if (rail < 0 || rail >= LinkRails.RAILS_MAX) {
      throw new IllegalArgumentException(
          "rail=" + rail + ", valid: 0.." + (LinkRails.RAILS_MAX - 1));
    }
    return link.remote(rail);
  }

  /** Returns why the connection ended; null while it lives. Any thread. */
  public CloseReason closeReason() {
    return link.reason();
  }
}
