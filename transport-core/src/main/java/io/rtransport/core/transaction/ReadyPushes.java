package io.rtransport.core.transaction;

import java.nio.ByteBuffer;

/**
 * Small pushes that an application has ready and does not submit: the connection takes each when a packet has room for it. Until then nothing
 * of it is kept here, and it can neither be cancelled nor have a deadline; from then on what is kept is its number and its tag. They have no
 * application header, and nobody waits for the success of one, though {@link TransactionListener#onEnded} tells it. Order is the application's:
 * what it submits by the verbs goes before what is still ready.
 *
 * <p>On an ordered connection only. What has not been taken when this side finishes or closes, or the connection ends, stays the application's,
 * which is told nothing of it. Called on the connection's loop, while packets are built; nothing but verbs that submit, and deadlines of what they
 * have submitted, may be called from within.
 */
public interface ReadyPushes {
  /** {@link #nextLengthBytes}: none is ready. */
  int NONE = -1;

  /** None is longer, wherever the path leads; see {@link io.rtransport.core.connection.ApplicationVerbs#readyPushLengthMax}. */
  int LENGTH_BYTES_MAX = 256;

  /** For an application that submits all. */
  ReadyPushes NEVER =
      new ReadyPushes() {
        @Override
        public boolean hasNext() {
          return false;
        }

        @Override
        public int nextLengthBytes() {
          return NONE;
        }

        @Override
        public long take(long rsn, ByteBuffer to, int index) {
          throw new IllegalStateException("none is ready");
        }
      };

  /** Whether one is ready, or would be after what is to be submitted before it. Changes nothing. */
  boolean hasNext();

  /**
   * Bytes of the next one, 0 to {@link #LENGTH_BYTES_MAX} or what was agreed; {@link #NONE} for none. What the application wants to go before it
   * may be submitted from within: then this answers NONE, and is asked again once that has gone.
   */
  int nextLengthBytes();

  /**
   * Takes the one whose length was told last: all of its bytes are written at {@code to[index ..)}, and it has begun.
   *
   * @param rsn its number, 0..2^32-1
   * @return its tag, for {@link TransactionListener#onEnded}
   */
  long take(long rsn, ByteBuffer to, int index);
}
