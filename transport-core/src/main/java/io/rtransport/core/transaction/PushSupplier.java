package io.rtransport.core.transaction;

import io.rtransport.core.stats.Limits;

/**
 * Supplier of small pushes that an application has ready and does not submit. The connection takes
 * them when a packet has room for them.
 *
 * <p>Until then the core keeps nothing of a push, and the push can neither be cancelled nor have a
 * deadline. From then on the core keeps its number and its tag. These pushes have no application
 * header. Nobody waits for their success, though an entry ENDED tells it, unless {@link
 * Packet#awaited} says so. The application decides the order: pushes that it submits by the verbs
 * go before those that are still ready.
 *
 * <p>Only on an ordered connection. Pushes that were not taken when this side finishes or closes,
 * or when the connection ends, stay with the application. No entry tells of them. Called on the
 * connection's loop, while packets are built.
 */
public interface PushSupplier {
  /** Answer of {@link #nextLengthBytes}: no push is ready. */
  int NONE = -1;

  /**
   * Longest push on any path; see {@link
   * io.rtransport.core.connection.ApplicationVerbs#readyPushLengthMax}.
   */
  int LENGTH_BYTES_MAX = Limits.READY_PUSH_BYTES_MAX;

  /** Supplier for an application that submits all its pushes. */
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

  /**
   * Returns whether a push is ready, or would be after submissions that go before it. Changes
   * nothing.
   */
  boolean hasNext();

  /**
   * Returns the bytes of the next push, 0 to {@link #LENGTH_BYTES_MAX} or the agreed limit; {@link
   * #NONE} for none.
   *
   * <p>If something must go before the next push, the application may submit it from inside this
   * call, and set deadlines for it. It may call no other verb. Then this returns NONE, and is asked
   * again after those submissions have gone.
   */
  int nextLengthBytes();

  /**
   * Puts pushes into {@code packet}, in order, beginning with the one whose length was told last.
   * Stops when the packet takes no more, or when no push is ready without a submission before it.
   * No verb may be called from inside.
   *
   * @param packet valid until this returns
   */
  void fill(Packet packet);

  /** The packet that is being built. */
  interface Packet {
    /** Answer of {@link #put}: there is no room for the push. */
    long FULL = -1;

    /**
     * Says that somebody waits for the ends of the pushes that are put from now on into this
     * packet: the peer is to tell them at once, in a packet of their own if need be.
     */
    void awaited();

    /**
     * Begins a push: copies all of its bytes from {@code from[index .. index + length)}.
     *
     * @param tag for the entry ENDED
     * @return its number, 0..2^32-1; or {@link #FULL}: then it stays ready, and no push after it
     *     may be put
     */
    long put(byte[] from, int index, int length, long tag);
  }
}
