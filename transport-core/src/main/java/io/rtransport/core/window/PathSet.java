package io.rtransport.core.window;

import io.rtransport.core.stats.Limits;

/**
 * The open paths of one connection, by index. Path 0 is that of the handshake. A path that is
 * suspect, or that is being closed, stays here but takes no packets. At least one path always takes
 * packets. With one path, no question here costs more than an array access.
 */
final class PathSet {
  static final int NONE = RetransmissionEngine.NONE;

  private Path[] paths;
  private int usableMask;
  private int count;

  /**
   * Creates a set.
   *
   * @param first the paths with the indexes 0, 1 …; at least one
   */
  PathSet(Path[] first) {
    paths = first.clone();
    count = first.length;
    usableMask = (1 << count) - 1;
  }

  /** Returns a bound for indexes: no path has this index or a higher one. */
  int size() {
    return paths.length;
  }

  /** Returns the path at an index, or null. */
  Path at(int index) {
    return paths[index];
  }

  /** Returns whether there is one path: then nothing has to be chosen. */
  boolean isSingle() {
    return count == 1;
  }

  /** Returns one bit for each path that takes packets, at least one. */
  int usableMask() {
    return usableMask;
  }

  boolean isUsable(int index) {
    return (usableMask >>> index & 1) != 0;
  }

  /** Returns whether another path than this one takes packets. */
  boolean hasOtherUsable(int index) {
    return (usableMask & ~(1 << index)) != 0;
  }

  /** Returns the index of the path with this id, or NONE. */
  int indexOf(int id) {
    for (int i = 0; i < paths.length; i++) {
      if (paths[i] != null && paths[i].id() == id) {
        return i;
      }
    }
    return NONE;
  }

  /** Returns the index of another path than this one that is not closing, or NONE. */
  int otherThan(int index) {
    for (int i = 0; i < paths.length; i++) {
      if (i != index && paths[i] != null && !paths[i].isClosing()) {
        return i;
      }
    }
    return NONE;
  }

  /** Adds a path that takes no packets yet. */
  void add(int index, Path path) {
    if (index >= paths.length) {
      Path[] longer = new Path[Limits.PATHS_MAX];
      System.arraycopy(paths, 0, longer, 0, paths.length);
      paths = longer;
    }
    assert paths[index] == null : "the path " + paths[index].id() + " has this index";
    paths[index] = path;
    count++;
  }

  void remove(int index) {
    assert !isUsable(index) : "a path that takes packets";
    paths[index] = null;
    count--;
  }

  void usable(int index, boolean isUsable) {
    int bit = 1 << index;
    usableMask = isUsable ? usableMask | bit : usableMask & ~bit;
    assert usableMask != 0 : "no path is left";
  }
}
