package io.rtransport.core.rail;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * Interfaces of one kind, ours or those of peers. One that no path uses is forgotten if it is well.
 * Of the others the last {@link RailHealth#UNUSED_MAX} are remembered. {@link RailHealth} guards
 * it.
 */
final class NiTable {
  /** Most that are remembered though no path uses them. */
  static final int UNUSED_MAX = 1_024;

  private final boolean isLocal;
  private final RandomGenerator random;
  private final Map<NiKey, NiHealth> all = new LinkedHashMap<>();

  /** Those that no path uses, the oldest first. */
  private final Set<NiHealth> unused = new LinkedHashSet<>();

  /** Those that are down, in the order in which they went down. */
  private final Set<NiHealth> downs = new LinkedHashSet<>();

  private long downChanges;

  NiTable(boolean isLocal, RandomGenerator random) {
    this.isLocal = isLocal;
    this.random = random;
  }

  /** Returns the interface for one more path. */
  NiHealth use(NiKey key) {
    NiHealth ni = know(key);
    ni.users++;
    unused.remove(ni);
    return ni;
  }

  /** Returns the interface though no path may use it. The caller calls {@link #forgetIfWell}. */
  NiHealth know(NiKey key) {
    return all.computeIfAbsent(key, absent -> new NiHealth(absent, isLocal, random));
  }

  /** Returns the interface, or null if it is not known. */
  NiHealth find(NiKey key) {
    return all.get(key);
  }

  /** A path does not use the interface any more. */
  void giveBack(NiHealth ni) {
    ni.users--;
    forgetIfWell(ni);
  }

  /**
   * Forgets an interface that no path uses, if it is well. One of ours that has failed is not: it
   * is down until it is up. One of a peer is: it begins anew when it is named again.
   */
  void forgetIfWell(NiHealth ni) {
    if (ni.users > 0) {
      return;
    }
    unused.remove(ni);
    if (ni.isFull() && !(isLocal && ni.isFailed())) {
      forget(ni);
      return;
    }
    unused.add(ni);
    if (unused.size() > UNUSED_MAX) {
      NiHealth oldest = unused.iterator().next();
      unused.remove(oldest);
      forget(oldest);
    }
  }

  private void forget(NiHealth ni) {
    all.remove(ni.key());
    downChanges += downs.remove(ni) ? 1 : 0;
  }

  /** Notes that the health of an interface has changed, or whether it has failed. */
  void onChange(NiHealth ni) {
    boolean isChange = ni.isDown() ? downs.add(ni) : downs.remove(ni);
    downChanges += isChange ? 1 : 0;
  }

  /** Returns how often an interface went down, or was down and is not any more. */
  long downChanges() {
    return downChanges;
  }

  /** Adds those that are down and whose address is known. */
  void downs(List<DownNi> into) {
    for (NiHealth ni : downs) {
      DownNi down = ni.key().down();
      if (down != null) {
        into.add(down);
      }
    }
  }

  int size() {
    return all.size();
  }

  /**
   * Adds the reports of at most {@code max} interfaces: first those that are not well and that
   * paths use, then the others that are not well, then those that are, each in the order in which
   * they became known.
   */
  void report(int max, List<NiReport> into) {
    int left = max;
    for (int pass = 0; pass < 3; pass++) {
      for (NiHealth ni : all.values()) {
        if (left == 0) {
          return;
        }
        boolean isWell = ni.isFull() && !ni.isFailed();
        if (pass == (isWell ? 2 : ni.users > 0 ? 0 : 1)) {
          into.add(ni.report());
          left--;
        }
      }
    }
  }

  void forEach(Consumer<NiHealth> each) {
    all.values().forEach(each);
  }
}
