package io.rtransport.simulator;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.IntToLongFunction;

/**
 * Which RSN each transaction of one host has, as a distance from the host's first RSN. Over direct
 * links and channels it is the transaction's index. Posts of queues may end without an RSN; then
 * the host tells the RSN of each.
 */
final class RsnIndexes {
  private final int firstRsn;
  private IntToLongFunction rsns; // null where each transaction has one
  private final List<Integer> found = new ArrayList<>(); // index of each RSN, in their order

  RsnIndexes(int firstRsn) {
    this.firstRsn = firstRsn;
  }

  /** Sets what tells the RSN of a transaction by its index; negative: it has none so far. */
  void numbers(IntToLongFunction newRsns) {
    rsns = newRsns;
  }

  /** Returns whether the host tells the RSNs: its application posts and polls. */
  boolean isToldByHost() {
    return rsns != null;
  }

  /** Returns the RSN of a transaction, 0..2^32-1; negative: it has none. */
  long rsnOf(int index) {
    int offset = rsns == null ? index : Collections.binarySearch(found, index);
    return offset >= 0 ? firstRsn + offset & 0xFFFF_FFFFL : rsns.applyAsLong(index);
  }

  /**
   * Returns the index of the transaction that has an RSN.
   *
   * @param offset distance from the host's first RSN
   * @param count number of transactions
   * @return that index, or a larger one than of all that have an RSN
   */
  int indexOf(int offset, int count) {
    if (rsns == null || offset < 0) {
      return offset;
    }
    int next = found.isEmpty() ? 0 : found.get(found.size() - 1) + 1;
    for (int index = next; found.size() <= offset && index < count; index++) {
      if (rsns.applyAsLong(index) == (firstRsn + found.size() & 0xFFFF_FFFFL)) {
        found.add(index);
        next = index + 1;
      }
    }
    return offset < found.size() ? found.get(offset) : next + offset - found.size();
  }

  /** Returns whether a transaction below one that has an RSN has none itself. */
  boolean isPassed(int index) {
    return rsns != null && Collections.binarySearch(found, index) < 0;
  }
}
