package io.rtransport.core.window;

import java.util.Arrays;

/**
 * A packet in the retransmission store, for tests of who sends from there: it is laid in, and
 * acknowledged.
 */
public final class StoredPacket {
  private final RetransmissionStore store;
  private final RetransmissionStore.Lease lease;
  private final int offset;
  private final int length;
  private final int token;

  /** Filled with {@code content}. */
  public StoredPacket(RetransmissionStore store, int length, byte content) {
    this.store = store;
    this.length = length;
    this.lease = store.open(length);
    this.offset = store.reserve(lease, length);
    this.token = store.commit(lease, length);
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, content);
    store.memory().put(offset, bytes);
  }

  public RetransmissionStore store() {
    return store;
  }

  public int offset() {
    return offset;
  }

  public int length() {
    return length;
  }

  public int token() {
    return token;
  }

  /** The window is through with it. */
  public void acknowledge() {
    store.release(lease, token);
    store.close(lease);
  }
}
