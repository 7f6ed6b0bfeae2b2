package io.rtransport.core.connection;

import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.parameter.AgreedParameters;
import io.rtransport.core.parameter.ConnectionParameter;
import io.rtransport.core.transaction.PayloadSource;
import io.rtransport.core.transaction.PushSupplier;
import java.nio.ByteBuffer;

/**
 * Calls by which an application uses a connection's transactions: it begins its own, answers the
 * peer's, and says that payload is ready or taken. This class checks the limits of the arguments.
 * The sublayers do the rest.
 *
 * <p>Confined to the connection's event loop. No verb calls back and none transmits: {@link
 * Connection#pollTransmit} does. Within that call a {@link PushSupplier} may submit, and a {@link
 * PayloadSource} may say that it is ready. No other verb may be called there.
 */
public final class ApplicationVerbs {
  private final Connection connection;

  ApplicationVerbs(Connection connection) {
    this.connection = connection;
  }

  /**
   * Queues a push of {@code lengthBytes} bytes (0..the peer's limit) from {@code source}, with an
   * application header.
   *
   * @param tag value that the entry ENDED returns
   * @return false when there is no room now (the RSN window is full) or the connection takes no
   *     more. Then nothing was kept, and an entry ROOM follows if room can come again
   * @throws IllegalArgumentException when the length or the header is outside the agreed limits
   */
  public boolean submitPush(
      PayloadSource source,
      long handle,
      long lengthBytes,
      ByteBuffer header,
      int index,
      int headerLength,
      long tag) {
    return submitPush(source, handle, lengthBytes, header, index, headerLength, tag, true);
  }

  /**
   * Queues a push as the method above does. Its initiator need not wait for its success.
   *
   * @param isAwaited false: nobody waits for the success. A peer that supports this is told so. It
   *     may then report the success up to three quarters of its ack delay later, with another
   *     packet. Failures are reported at once.
   */
  public boolean submitPush(
      PayloadSource source,
      long handle,
      long lengthBytes,
      ByteBuffer header,
      int index,
      int headerLength,
      long tag,
      boolean isAwaited) {
    if (!isSubmittable()) {
      return false;
    }
    checkWithin("lengthBytes", lengthBytes, connection.agreed().tx().messageLengthMax());
    checkHeader(headerLength);
    return connection
        .transaction()
        .submitPush(source, handle, lengthBytes, header, index, headerLength, tag, isAwaited);
  }

  /**
   * Says that the application has {@link PushSupplier pushes ready}. They leave with the next
   * {@link Connection#pollTransmit}, as far as there is room. Pushes without room leave later by
   * themselves, after an entry ROOM or a later packet.
   */
  public void pushesReady() {
    if (isSubmittable()) {
      connection.transaction(); // makes the sublayers if the connection has carried nothing
    }
  }

  /**
   * Returns the longest push of a {@link PushSupplier}, bytes. It is no longer than what the peer
   * takes without being asked. Negative in three cases:
   *
   * <ul>
   *   <li>before the connection is established;
   *   <li>with a flush window, because these pushes do not wait for others to share a packet;
   *   <li>without order, because later requests have a window of their own and must not wait for
   *       these pushes.
   * </ul>
   */
  public int readyPushLengthMax() {
    AgreedParameters agreed = connection.agreed();
    if (agreed == null || !agreed.isOrdered() || connection.flushWindowNs() > 0) {
      return -1;
    }
    long unasked = Math.min(agreed.both().solicitThresholdBytes(), agreed.tx().messageLengthMax());
    return (int) Math.min(unasked, PushSupplier.LENGTH_BYTES_MAX);
  }

  /** Queues a pull of at most {@code lengthBytesMax} bytes; otherwise like {@link #submitPush}. */
  public boolean submitPull(
      long lengthBytesMax, ByteBuffer header, int index, int headerLength, long tag) {
    if (!isSubmittable()) {
      return false;
    }
    checkWithin("lengthBytesMax", lengthBytesMax, connection.config().messageLengthMax());
    checkHeader(headerLength);
    return connection.transaction().submitPull(lengthBytesMax, header, index, headerLength, tag);
  }

  /**
   * Returns the RSN of the next submission, by which {@link #cancel} finds it. 0 unless the
   * connection is established.
   */
  public long nextSubmission() {
    return connection.isEstablished() ? connection.transaction().nextSubmission() : 0;
  }

  /**
   * Gives up an own transaction. Its end still follows. If nothing of it has left, it was not
   * executed. Otherwise the peer's answer decides the outcome:
   *
   * <ul>
   *   <li>COMPLETED: the peer's application had it before the peer heard of the wish;
   *   <li>NOT_EXECUTED: the peer's application did not have it;
   *   <li>UNKNOWN: a pull that the peer's application has seen.
   * </ul>
   *
   * <p>The payload is released at once. A pull's sink gets its last call before the end.
   *
   * @param rsn as returned by {@link #nextSubmission} before the submission
   * @return false when it has ended or was cancelled before: nothing happened
   */
  public boolean cancel(long rsn) {
    checkOutside();
    return connection.isEstablished() && connection.transaction().cancel(rsn);
  }

  /**
   * Asks for an entry RECEIVED once the peer's transport has all of an own push. No such entry
   * comes if the push ends before. Call this right after the submission: it has no effect once the
   * last byte is in a packet.
   *
   * @param rsn as returned by {@link #nextSubmission} before the submission
   * @return false when it is no push, has ended, was cancelled, or is in packets already: no entry
   *     follows
   */
  public boolean receipt(long rsn) {
    return connection.isEstablished() && connection.transaction().receipt(rsn);
  }

  /**
   * Sets a deadline for an own transaction. If the transaction has not ended at {@code deadlineNs},
   * it is given up as by {@link #cancel}, and its end says {@link CloseCode#DEADLINE}. The deadline
   * is on the clock of the calls of {@link Connection}. Takes effect with the next {@link
   * Connection#pollTransmit}.
   *
   * @return false when it has ended or was cancelled: nothing happened
   */
  public boolean deadline(long rsn, long deadlineNs) {
    return connection.isEstablished() && connection.transaction().deadline(rsn, deadlineNs);
  }

  /**
   * Half-closes: begins no more transactions. Submitted transactions and those of the peer go on.
   * The peer's application hears of the end of its input after it was given all of our
   * transactions.
   *
   * <p>The connection closes when both sides have finished and everything has ended. No effect
   * before the connection is established.
   */
  public void finish() {
    checkOutside();
    if (isSubmittable()) {
      connection.solicitation().finish();
    }
  }

  /**
   * Switches keepalive of a silent connection on or off, whatever was set at set-up. Takes effect
   * with the next {@link Connection#pollTransmit}. The peer is not told.
   */
  public void keepalive(boolean isWanted) {
    checkOutside();
    connection.keepalive(isWanted);
  }

  /**
   * Sets how long a submission waits for others to share its packet. Submissions that wait now
   * leave with the next {@link Connection#pollTransmit}. The peer is not told.
   *
   * @param windowNs in the range of {@link ConnectionParameter#FLUSH_WINDOW_MICROS}; 0: no wait
   */
  public void flushWindow(long windowNs) {
    checkOutside();
    ConnectionParameter.FLUSH_WINDOW_MICROS.check(windowNs);
    connection.flushWindowNs((int) windowNs);
  }

  /**
   * Sets up to which payload length a push of the peer is given out whole, as one entry {@link
   * io.rtransport.core.transaction.OutboxEntry.Kind#MESSAGE}. This applies to a push that comes in
   * one piece, at its turn. For every other push the application is asked where its bytes go. May
   * be called before the connection is established.
   *
   * @param lengthBytes bytes; −1, the initial value: no push is given out whole
   */
  public void takesWhole(int lengthBytes) {
    checkOutside();
    connection.wholeLengthMax(lengthBytes);
  }

  /**
   * Acknowledges the peer's push {@code rsn}: the application has taken it (ULP-ACK). Ignored when
   * it has ended.
   */
  public void acknowledge(long rsn) {
    acknowledge(rsn, 1);
  }

  /** Acknowledges {@code count} pushes of the peer whose RSNs follow each other. */
  public void acknowledge(long rsn, int count) {
    checkOutside();
    if (connection.isEstablished()) {
      connection.transaction().inbound().acknowledge(rsn, count);
    }
  }

  /**
   * Refuses the peer's request {@code rsn} for the application. {@code text} is cut at 256 bytes.
   * Ignored when it has ended.
   */
  public void fail(long rsn, int code, String text) {
    checkOutside();
    if (connection.isEstablished()) {
      connection.transaction().inbound().fail(rsn, code, text);
    }
  }

  /**
   * Fails the peer's request {@code rsn} for RT's own code. That code could not hand the request
   * over, or the application threw while it handled the request. Ignored when it has ended.
   */
  public void failByTransport(long rsn, CloseCode code, boolean isOutcomeUnknown) {
    checkOutside();
    if (connection.isEstablished()) {
      connection.transaction().inbound().failByTransport(rsn, code, isOutcomeUnknown);
    }
  }

  /**
   * Returns whether the peer's pull {@code rsn} waits for the application's answer: it is not
   * answered, and the peer has not given it up.
   */
  public boolean isUnanswered(long rsn) {
    return connection.isEstablished() && connection.transaction().inbound().isUnanswered(rsn);
  }

  /**
   * Answers the peer's pull {@code rsn}.
   *
   * @return false when the pull has ended or was answered; then the caller keeps the payload
   */
  public boolean respond(long rsn, PayloadSource source, long handle, long lengthBytes) {
    checkOutside();
    return connection.isEstablished()
        && connection.transaction().inbound().respond(rsn, source, handle, lengthBytes);
  }

  /**
   * Says that the source of {@code handle} has more bytes, after it had fewer than asked for. If
   * several sources use the same handle, each is asked again.
   */
  public void ready(long handle) {
    if (connection.isEstablished()) {
      connection.solicitation().ready(handle);
    }
  }

  /**
   * Accepts a push that begins, about which an entry OPENED asks now or asked before it was put
   * off. See {@link io.rtransport.core.solicitation.SinkVerbs#accept}.
   *
   * @return false if the push waits for no answer: then no entry names the handle
   */
  public boolean accept(long rsn, long handle, boolean isKeptWhole, long untakenBytesMax) {
    checkOutside();
    return connection.isEstablished()
        && connection.solicitation().sinks().accept(rsn, handle, isKeptWhole, untakenBytesMax);
  }

  /** Accepts the answer to our own pull {@code rsn}, like {@link #accept}. */
  public boolean acceptAnswer(long rsn, long handle, long untakenBytesMax) {
    checkOutside();
    return connection.isEstablished()
        && connection.solicitation().sinks().acceptAnswer(rsn, handle, untakenBytesMax);
  }

  /**
   * Refuses the peer's push {@code rsn} for the application.
   *
   * @param isFromTransport whether {@code code} is RT's own, a {@link CloseCode}
   */
  public void refuse(long rsn, int code, boolean isFromTransport) {
    checkOutside();
    if (connection.isEstablished()) {
      connection.solicitation().sinks().refuse(rsn, code, isFromTransport);
    }
  }

  /** Refuses the answer to our own pull {@code rsn}, like {@link #refuse}. */
  public void refuseAnswer(long rsn, int code, boolean isFromTransport) {
    checkOutside();
    if (connection.isEstablished()) {
      connection.solicitation().sinks().refuseAnswer(rsn, code, isFromTransport);
    }
  }

  /**
   * Fails the peer's push {@code rsn}: the application accepted it, was not given all of it, and
   * failed while it handled the bytes. The handle is not used any more. The peer hears that it need
   * not send the rest. The push ends with {@link CloseCode#REFUSED_BY_SINK}.
   */
  public void failSink(long rsn) {
    checkOutside();
    if (connection.isEstablished()) {
      connection.solicitation().sinks().failSink(rsn);
    }
  }

  /** Fails the answer to our own pull {@code rsn}, like {@link #failSink}. */
  public void failAnswerSink(long rsn) {
    checkOutside();
    if (connection.isEstablished()) {
      connection.solicitation().sinks().failAnswerSink(rsn);
    }
  }

  /**
   * Says that the application has taken {@code bytes} more of message {@code rsn}, which it was
   * given.
   *
   * @throws IllegalArgumentException if {@code bytes} is negative
   */
  public void taken(long rsn, long bytes) {
    checkOutside();
    checkWithin("bytes", bytes, Long.MAX_VALUE);
    if (connection.isEstablished()) {
      connection.solicitation().sinks().taken(rsn, bytes);
    }
  }

  /** Says the same for the answer to our own pull {@code rsn}. */
  public void takenOfPull(long rsn, long bytes) {
    checkOutside();
    checkWithin("bytes", bytes, Long.MAX_VALUE);
    if (connection.isEstablished()) {
      connection.solicitation().sinks().takenOfPull(rsn, bytes);
    }
  }

  /**
   * Sets how many bytes of the peer's push {@code rsn} may be granted and not yet taken. Only for a
   * push that is written behind: other pushes have no such bound. A push that waited at a lower
   * bound goes on when some of it is taken.
   */
  public void limitUntaken(long rsn, long bytes) {
    checkOutside();
    if (connection.isEstablished()) {
      connection.solicitation().sinks().limitUntaken(rsn, bytes);
    }
  }

  /** Sets the same bound for the answer to our own pull {@code rsn}. */
  public void limitUntakenOfPull(long rsn, long bytes) {
    checkOutside();
    if (connection.isEstablished()) {
      connection.solicitation().sinks().limitUntakenOfPull(rsn, bytes);
    }
  }

  /** Allows the peer's push {@code rsn}, which was put off, to be asked about again. */
  public void retryOpen(long rsn) {
    checkOutside();
    if (connection.isEstablished()) {
      connection.solicitation().sinks().retryOpen(rsn);
    }
  }

  /** Allows every push of the peer that was put off to be asked about again. */
  public void retryOpen() {
    checkOutside();
    if (connection.isEstablished()) {
      connection.solicitation().sinks().retryOpen();
    }
  }

  private void checkOutside() {
    assert !connection.isTransmitting() : "a verb within a call of the core";
  }

  private boolean isSubmittable() {
    return connection.isEstablished() && connection.closing().isOpen();
  }

  private void checkHeader(int length) {
    checkWithin("headerLength", length, connection.agreed().both().headerLengthMax());
  }

  private static void checkWithin(String name, long value, long max) {
    if (value < 0 || value > max) {
      throw new IllegalArgumentException(name + "=" + value + " must be in 0.." + max);
    }
  }
}
