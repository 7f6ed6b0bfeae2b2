package io.rtransport.simulator;

import io.rtransport.core.wire.CloseCode;
import java.nio.ByteBuffer;

/**
 * Where the bytes of inbound messages go: the application's side of a push at its target, and of a
 * pull's answer at its initiator. Called on the connection's loop only.
 */
public interface PayloadSink {
  /**
   * Answer of {@link #open}: not now. A solicited message gets no grant yet; another is not
   * delivered and its credit stays held. Then {@link
   * io.rtransport.core.connection.ApplicationVerbs#retryOpen(long)}, or {@code retryOpen()} for all
   * of them, asks again, from inside {@link #open} too: on the next turn of the loop.
   */
  long LATER = -1;

  /**
   * Answer of {@link #write}: the sink has failed, and has nothing more to do with the message. Its
   * handle is dead with that, and its peer hears that it need not send the rest: a push ends with
   * {@link CloseCode#REFUSED_BY_SINK}, so does the own pull.
   */
  int FAILED = -1;

  /** In a refusal: the code is RT's. */
  long TRANSPORT = 1L << 32;

  /** Answer of {@link #open}: refused, with application code {@code code} (0..2^31-1). */
  static long refuse(int code) {
    return Long.MIN_VALUE | (code & 0x7FFF_FFFFL);
  }

  /**
   * Answer of {@link #open}: refused by RT's own code around the application, with a {@link
   * CloseCode}. The application did not see it.
   */
  static long refuseByTransport(CloseCode code) {
    return refuse(code.code()) | TRANSPORT;
  }

  /** Whether a refusal is RT's own, not the application's. */
  static boolean isByTransport(long refusal) {
    return (refusal & TRANSPORT) != 0;
  }

  /** Whether an answer of {@link #open} refuses. */
  static boolean isRefusal(long answer) {
    return answer < LATER;
  }

  /** The code in a refusal. */
  static int refusalCode(long answer) {
    return (int) (answer & 0x7FFF_FFFFL);
  }

  /**
   * A message begins. For a solicited push this comes before the first grant, so nothing has been
   * sent yet. Solicited pushes are opened in the order of their submission; an unsolicited one when
   * its first bytes come, which may be before its turn.
   *
   * <p>For a pull's answer {@code rsn} is the own pull's, the header is empty, and anything but a
   * handle fails the pull: the peer is told to stop, and what comes all the same is let pass by
   * unread.
   *
   * @param rsn of the transaction, 0..2^32-1
   * @param lengthBytes of the whole message, 0..2^32-1
   * @param header holds the application header at {@code [index, index + length)}; borrowed
   * @return a handle ≥ 0 for the calls below, {@link #LATER}, or {@link #refuse}
   */
  long open(long rsn, long lengthBytes, ByteBuffer header, int index, int length);

  /**
   * Bytes of the message: ranges in any order, each byte exactly once.
   *
   * @param from holds them at {@code [index, index + length)} until the call returns
   * @return {@link #FAILED}, or bytes taken now; the rest, which the sink has too, is reported by
   *     {@link io.rtransport.core.connection.ApplicationVerbs#taken(long, long)}, or {@code
   *     takenOfPull} for an answer
   */
  int write(long handle, long offset, ByteBuffer from, int index, int length);

  /**
   * The message's turn has come, in RSN order where the connection is ordered.
   *
   * @param whole false when it will never be complete: the connection ended, the pull failed, or
   *     the message is larger than this node can keep whole. The handle is dead after this call in
   *     that case; it is too when the application failed the transaction itself
   */
  void deliver(long handle, boolean whole);

  /**
   * A push that came whole, in one piece, at its turn, where the application {@link
   * io.rtransport.core.connection.ApplicationVerbs#takesWhole takes} such a one as it is: none of
   * the other calls is for it. Nothing of it is taken, and it is not acknowledged, before the verbs
   * say so, at once or later.
   *
   * @param rsn of the transaction, 0..2^32-1
   * @param from holds the application header at {@code [headerIndex, headerIndex + headerLength)}
   *     and the message at {@code [index, index + length)} until the call returns
   */
  default void pass(
      long rsn, ByteBuffer from, int headerIndex, int headerLength, int index, int length) {
    throw new IllegalStateException("nothing passes");
  }

  /**
   * Bytes of this message that may have been granted and not yet taken: one that has as many gets
   * no more grants until its sink takes some. Asked when the message begins and after each {@link
   * #write} that did not take all; between them {@link
   * io.rtransport.core.connection.ApplicationVerbs#limitUntaken} says it. A sink that answers less
   * than {@code Long.MAX_VALUE} when the message begins is one that writes behind: the node's
   * budget may allow it less than it names, down to 64 KiB; what is below that counts as 64 KiB.
   */
  default long untakenBytesMax(long handle) {
    return Long.MAX_VALUE;
  }

  /**
   * Whether this message is kept in memory until it is delivered, so that none of its bytes is
   * taken before all are there. Such a message is granted only once the node's budget has room for
   * all of it; another range by range. Asked when a push begins; an answer is always granted range
   * by range.
   */
  default boolean isKeptWhole(long handle) {
    return false;
  }
}
