package io.rtransport.core.connection;

/**
 * What has happened to a connection's paths between two looks. Each set has a bit for each path, by
 * its index.
 */
public final class PathChanges {
  private int open;
  private int usable;
  private int openBefore;
  private int usableBefore;

  /** Begins with these paths: they are no news. */
  public PathChanges(int open, int usable) {
    this.open = open;
    this.usable = usable;
  }

  /**
   * Looks. Costs two comparisons while nothing has changed.
   *
   * @param openNow {@link Connection#openPaths}
   * @param usableNow {@link Connection#usablePaths}
   * @return false if nothing has changed: the sets are those of the look before
   */
  public boolean look(int openNow, int usableNow) {
    if (openNow == open && usableNow == usable) {
      return false;
    }
    openBefore = open;
    usableBefore = usable;
    open = openNow;
    usable = usableNow;
    return true;
  }

  /** Returns the paths that are open. */
  public int open() {
    return open;
  }

  /** Returns the paths that have opened. */
  public int opened() {
    return open & ~openBefore;
  }

  /** Returns the paths that have closed. */
  public int closed() {
    return openBefore & ~open;
  }

  /** Returns the paths that take packets, and did not before. */
  public int working() {
    return usable & ~usableBefore;
  }

  /** Returns the paths that take no packets any more, but are open. */
  public int suspected() {
    return usableBefore & ~usable & open;
  }
}
