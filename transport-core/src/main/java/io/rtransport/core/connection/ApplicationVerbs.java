package io.rtransport.core.connection;

import io.rtransport.core.parameter.AgreedParameters;
import io.rtransport.core.parameter.ConnectionParameter;
import io.rtransport.core.transaction.PayloadSource;
import io.rtransport.core.transaction.PushSupplier;
import io.rtransport.core.wire.CloseCode;
import java.nio.ByteBuffer;

/**
 * What an application may ask of a connection's transactions: to begin its own, to answer the
 * peer's, and to say that payload is ready or taken. Holds the limits of what may be asked; what
 * follows from it is the sublayers'.
 *
 * <p>Confined to the connection's event loop. No verb calls back and none transmits: {@link
 * Connection#pollTransmit} does.
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
   * @param tag comes back with the entry ENDED
   * @return false when there is no room now (the RSN window is full) or the connection takes no
   *     more: nothing was kept, and an entry ROOM follows if room can come again
   * @throws IllegalArgumentException when the length or the header is outside what was agreed
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
   * The same, of a push whose success is perhaps not waited for.
   *
   * @param isAwaited false: the peer is told that nobody waits, where it knows what that means, and
   *     may tell of the success by three quarters of its ack delay later, with a packet that it
   *     sends anyhow. Failures are told at once.
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
    checkWithin(
        "lengthBytes",
        lengthBytes,
        connection.agreed() == null ? 0 : connection.agreed().tx().messageLengthMax());
    checkHeader(headerLength);
    return isSubmittable()
        && connection
            .transaction()
            .submitPush(source, handle, lengthBytes, header, index, headerLength, tag, isAwaited);
  }

  /**
   * The application has {@link PushSupplier pushes ready}: they leave with the next {@link
   * Connection#pollTransmit}, as far as there is room. Where there was none an entry ROOM or a
   * later packet goes on with them by itself.
   */
  public void pushesReady() {
    if (isSubmittable()) {
      connection.transaction(); // a connection that has carried nothing has no sublayers
    }
  }

  /**
   * The longest push of a {@link PushSupplier}: no longer than what the peer takes unasked.
   * Negative before the connection is established; where pushes wait for others to share a packet
   * with, which these do not; and without order, where what comes behind them, a request with a
   * window of its own, is not to wait for them.
   */
  public int readyPushLengthMax() {
    AgreedParameters agreed = connection.agreed();
    if (agreed == null || !agreed.isOrdered() || connection.flushWindowNs() > 0) {
      return -1;
    }
    long unasked = Math.min(agreed.both().solicitThresholdBytes(), agreed.tx().messageLengthMax());
    return (int) Math.min(unasked, PushSupplier.LENGTH_BYTES_MAX);
  }

  /** Queues a pull of at most {@code lengthBytesMax} bytes; otherwise as {@link #submitPush}. */
  public boolean submitPull(
      long lengthBytesMax, ByteBuffer header, int index, int headerLength, long tag) {
    checkWithin("lengthBytesMax", lengthBytesMax, connection.config().messageLengthMax());
    checkHeader(headerLength);
    return isSubmittable()
        && connection.transaction().submitPull(lengthBytesMax, header, index, headerLength, tag);
  }

  /**
   * The RSN that the next submission gets: by it {@link #cancel} knows it. 0 before the connection
   * is established.
   */
  public long nextSubmission() {
    return connection.transaction() == null ? 0 : connection.transaction().nextSubmission();
  }

  /**
   * Gives an own transaction up; its end follows all the same. If nothing of it has left it was not
   * executed. Else it ends as the peer's answer says: COMPLETED, when the peer's application had it
   * before it heard of the wish; NOT_EXECUTED, when it had not; UNKNOWN of a pull that the peer's
   * application has seen. Its payload is released at once, and a pull's sink gets its last call
   * before the end.
   *
   * @param rsn as {@link #nextSubmission} told before its submission
   * @return false when it has ended or was cancelled before: nothing happened
   */
  public boolean cancel(long rsn) {
    return connection.isEstablished() && connection.transaction().cancel(rsn);
  }

  /**
   * Has an own push told of by an entry RECEIVED once the peer's transport has all of it, unless it
   * ends before. To be asked before its last byte is in a packet: with its submission.
   *
   * @param rsn as {@link #nextSubmission} told before its submission
   * @return false when it is no push, has ended, was cancelled, or is in packets already: nothing
   *     follows
   */
  public boolean receipt(long rsn) {
    return connection.isEstablished() && connection.transaction().receipt(rsn);
  }

  /**
   * Gives an own transaction up, as {@link #cancel} does, if it has not ended at {@code
   * deadlineNs}, on the clock of the calls of {@link Connection}. Its end then says {@link
   * CloseCode#DEADLINE}. Takes effect with the next {@link Connection#pollTransmit}.
   *
   * @return false when it has ended or was cancelled: nothing happened
   */
  public boolean deadline(long rsn, long deadlineNs) {
    return connection.isEstablished() && connection.transaction().deadline(rsn, deadlineNs);
  }

  /**
   * Half-close: begins no more transactions. Those that were submitted end as they would have, the
   * peer's go on, and its application hears of the end of its input once it has been given all of
   * them. When both sides have finished and everything has ended, the connection closes. Nothing
   * happens before the connection is established.
   */
  public void finish() {
    if (isSubmittable()) {
      connection.solicitation().finish();
    }
  }

  /**
   * From now on a silent connection is kept alive, or no more, whatever it was set up with. Takes
   * effect with the next {@link Connection#pollTransmit}. The peer is not told.
   */
  public void keepalive(boolean isWanted) {
    connection.keepalive(isWanted);
  }

  /**
   * How long a submission waits for others to share its packet from now on. What waits now goes
   * with the next {@link Connection#pollTransmit}. The peer is not told.
   *
   * @param windowNs in the range of {@link ConnectionParameter#FLUSH_WINDOW_MICROS}; 0 = it does
   *     not wait
   */
  public void flushWindow(long windowNs) {
    ConnectionParameter.FLUSH_WINDOW_MICROS.check(windowNs);
    connection.flushWindowNs((int) windowNs);
  }

  /**
   * From now on a push of the peer that comes whole, in one piece, at its turn, is given out as it
   * is if its payload is no longer than {@code lengthBytes}: an entry {@link
   * io.rtransport.core.transaction.OutboxEntry.Kind#MESSAGE}. Where its bytes go is asked of every
   * other. Before the connection is established too; −1, which it is at first: none is.
   */
  public void takesWhole(int lengthBytes) {
    connection.wholeLengthMax(lengthBytes);
  }

  /** The application has taken the peer's push {@code rsn} (ULP-ACK). Ignored when it has ended. */
  public void acknowledge(long rsn) {
    if (connection.isEstablished()) {
      connection.transaction().inbound().acknowledge(rsn);
    }
  }

  /**
   * The application refuses the peer's request {@code rsn}. {@code text} is cut at 256 bytes.
   * Ignored when it has ended.
   */
  public void fail(long rsn, int code, String text) {
    if (connection.isEstablished()) {
      connection.transaction().inbound().fail(rsn, code, text);
    }
  }

  /**
   * RT's own code around the application could not hand the request over, or the application broke
   * off over it. Ignored when it has ended.
   */
  public void failByTransport(long rsn, CloseCode code, boolean isOutcomeUnknown) {
    if (connection.isEstablished()) {
      connection.transaction().inbound().failByTransport(rsn, code, isOutcomeUnknown);
    }
  }

  /**
   * Answers the peer's pull {@code rsn}. False when the pull has ended or was answered: then the
   * payload stays the caller's.
   */
  public boolean respond(long rsn, PayloadSource source, long handle, long lengthBytes) {
    return connection.isEstablished()
        && connection.transaction().inbound().respond(rsn, source, handle, lengthBytes);
  }

  /**
   * The source of {@code handle} had fewer bytes than asked for and has more; of sources that use
   * the same handle each is asked again.
   */
  public void ready(long handle) {
    if (connection.isEstablished()) {
      connection.solicitation().ready(handle);
    }
  }

  /**
   * The application takes the push that begins, of which an entry OPENED asks, or that it had put
   * off: see {@link io.rtransport.core.solicitation.SolicitationSublayer#accept}.
   *
   * @return false if no answer is waited for: then no entry names the handle
   */
  public boolean accept(long rsn, long handle, boolean isKeptWhole, long untakenBytesMax) {
    return connection.isEstablished()
        && connection.solicitation().accept(rsn, handle, isKeptWhole, untakenBytesMax);
  }

  /** The same, of the answer to our own pull {@code rsn}. */
  public boolean acceptAnswer(long rsn, long handle, long untakenBytesMax) {
    return connection.isEstablished()
        && connection.solicitation().acceptAnswer(rsn, handle, untakenBytesMax);
  }

  /**
   * The application refuses it.
   *
   * @param isFromTransport whether {@code code} is RT's own, a {@link CloseCode}
   */
  public void refuse(long rsn, int code, boolean isFromTransport) {
    if (connection.isEstablished()) {
      connection.solicitation().refuse(rsn, code, isFromTransport);
    }
  }

  /** The same, of the answer to our own pull {@code rsn}. */
  public void refuseAnswer(long rsn, int code, boolean isFromTransport) {
    if (connection.isEstablished()) {
      connection.solicitation().refuseAnswer(rsn, code, isFromTransport);
    }
  }

  /**
   * The application has failed over bytes of a push that it had accepted and was not given whole.
   * Its handle is dead with that, and its peer hears that it need not send the rest: it ends with
   * {@link CloseCode#REFUSED_BY_SINK}.
   */
  public void failSink(long rsn) {
    if (connection.isEstablished()) {
      connection.solicitation().failSink(rsn);
    }
  }

  /** The same, of the answer to our own pull {@code rsn}. */
  public void failAnswerSink(long rsn) {
    if (connection.isEstablished()) {
      connection.solicitation().failAnswerSink(rsn);
    }
  }

  /** The application has taken {@code bytes} more of message {@code rsn} that it was given. */
  public void taken(long rsn, long bytes) {
    if (connection.isEstablished()) {
      connection.solicitation().taken(rsn, bytes);
    }
  }

  /** The same, for the answer to our own pull {@code rsn}. */
  public void takenOfPull(long rsn, long bytes) {
    if (connection.isEstablished()) {
      connection.solicitation().takenOfPull(rsn, bytes);
    }
  }

  /**
   * How much of the peer's push {@code rsn} may from now on be granted and not yet taken, bytes; of
   * one that is written behind, any other has no such bound. Where it has waited at a lower one it
   * goes on when some of it is taken.
   */
  public void limitUntaken(long rsn, long bytes) {
    if (connection.isEstablished()) {
      connection.solicitation().limitUntaken(rsn, bytes);
    }
  }

  /** The same, for the answer to our own pull {@code rsn}. */
  public void limitUntakenOfPull(long rsn, long bytes) {
    if (connection.isEstablished()) {
      connection.solicitation().limitUntakenOfPull(rsn, bytes);
    }
  }

  /** The peer's push {@code rsn}, which was put off, may be asked about again. */
  public void retryOpen(long rsn) {
    if (connection.isEstablished()) {
      connection.solicitation().retryOpen(rsn);
    }
  }

  /** The same for each push of the peer that was put off. */
  public void retryOpen() {
    if (connection.isEstablished()) {
      connection.solicitation().retryOpen();
    }
  }

  private boolean isSubmittable() {
    return connection.isEstablished() && connection.closing().isOpen();
  }

  private void checkHeader(int length) {
    checkWithin(
        "headerLength",
        length,
        connection.agreed() == null ? 0 : connection.agreed().both().headerLengthMax());
  }

  private static void checkWithin(String name, long value, long max) {
    if (value < 0 || value > max) {
      throw new IllegalArgumentException(name + "=" + value + " must be in 0.." + max);
    }
  }
}
