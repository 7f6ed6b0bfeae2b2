package io.rtransport.demo.store;

import java.util.ArrayDeque;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.Map;

/**
 * Shares the store's places among the peers that ask. As long as a place is free, whoever asks has it. When none is, a peer that has two
 * less than another gets the place of that one's youngest upload, unless it is whole already. So a peer whose files never come keeps no
 * other out, and peers that all ask for more than there is have equal parts. Any thread.
 */
final class UploadShares {
  private final int placesMax;
  private final Map<Object, ArrayDeque<Upload>> uploads = new IdentityHashMap<>();
  private int taken;

  UploadShares(int placesMax) {
    this.placesMax = placesMax;
  }

  /** Whether {@code peer} would have a place now. */
  synchronized boolean hasPlace(Object peer) {
    return taken < placesMax || isFairer(peer, largest());
  }

  /** Gives {@code upload} a place, one of another peer's if need be. False where there is none. */
  boolean add(Object peer, Upload upload) {
    Upload displaced = null;
    synchronized (this) {
      if (taken == placesMax) {
        ArrayDeque<Upload> largest = largest();
        displaced = isFairer(peer, largest) ? displace(largest) : null;
        if (displaced == null) {
          return false;
        }
        forget(displaced);
      }
      uploads.computeIfAbsent(peer, any -> new ArrayDeque<>()).addLast(upload);
      taken++;
    }
    if (displaced != null) {
      displaced.discard();
    }
    return true;
  }

  /** The upload has ended; nothing happens if it had no place. */
  synchronized void remove(Upload upload) {
    forget(upload);
  }

  private void forget(Upload upload) {
    ArrayDeque<Upload> own = uploads.get(upload.peer());
    if (own != null && own.remove(upload)) {
      taken--;
      if (own.isEmpty()) {
        uploads.remove(upload.peer());
      }
    }
  }

  private ArrayDeque<Upload> largest() {
    ArrayDeque<Upload> largest = null;
    for (ArrayDeque<Upload> own : uploads.values()) {
      if (largest == null || own.size() > largest.size()) {
        largest = own;
      }
    }
    return largest;
  }

  /** Whether one place less for the largest and one more for {@code peer} is nearer to equal parts. */
  private boolean isFairer(Object peer, ArrayDeque<Upload> largest) {
    ArrayDeque<Upload> own = uploads.get(peer);
    return largest.size() > (own == null ? 0 : own.size()) + 1;
  }

  private static Upload displace(ArrayDeque<Upload> largest) {
    for (Iterator<Upload> youngestFirst = largest.descendingIterator(); youngestFirst.hasNext(); ) {
      Upload upload = youngestFirst.next();
      if (upload.giveWay()) {
        return upload;
      }
    }
    return null;
  }
}
