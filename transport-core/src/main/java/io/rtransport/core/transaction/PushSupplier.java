package io.rtransport.core.transaction;

import io.rtransport.core.stats.Limits;

/**
 * Gives small pushes that an application has ready and does not submit: the connection takes them
 * when a packet has room for them. Until then nothing of one is kept here, and it can neither be
 * cancelled nor have a deadline; from then on what is kept is its number and its tag. They have no
 * application header, and nobody waits for the success of one, though an entry ENDED tells it.
 * Order is the application's: what it submits by the verbs goes before what is still ready.
 *
 * <p>On an ordered connection only. What has not been taken when this side finishes or closes, or
 * the connection ends, stays the application's, which is told nothing of it. Called on the
 * connection's loop, while packets are built.
 */
public interface PushSupplier {
  /** {@link #nextLengthBytes}: none is ready. */
  int NONE = -1;

  /**
   * None is longer, wherever the path leads; see {@link
   * io.rtransport.core.connection.ApplicationVerbs#readyPushLengthMax}.
   */
  int LENGTH_BYTES_MAX = Limits.READY_PUSH_BYTES_MAX;

  /** For an application that submits all. */
  PushSupplier NEVER =
      new PushSupplier() {
        @Override
        public boolean hasNext() {
          return false;
        }

        @Override
        public int nextLengthBytes() {
          return NONE;
        }

        @Override
        public void fill(Packet packet) {
          throw new IllegalStateException("none is ready");
        }
      };

  /** Whether one is ready, or would be after what is to be submitted before it. Changes nothing. */
  boolean hasNext();

  /**
   * Bytes of the next one, 0 to {@link #LENGTH_BYTES_MAX} or what was agreed; {@link #NONE} for
   * none. What the application wants to go before it may be submitted from within, and deadlines of
   * that set, but nothing else asked: then this answers NONE, and is asked again once that has
   * gone.
   */
  int nextLengthBytes();

  /**
   * Puts them into {@code packet}, in order, from the one whose length was told last on, until it
   * takes no more, or none is ready without something being submitted before it. No verb may be
   * called from within.
   *
   * @param packet valid until this returns
   */
  void fill(Packet packet);

  /** The packet that is being built. */
  interface Packet {
    /** Answer of {@link #put}: there is no room for it. */
    long FULL = -1;

    /**
     * Begins a push: all of its bytes are copied from {@code from[index .. index + length)}.
     *
     * @param tag for the entry ENDED
     * @return its number, 0..2^32-1; or {@link #FULL}: then it stays ready, and none behind it may
     *     be put
     */
    long put(byte[] from, int index, int length, long tag);
  }
}
