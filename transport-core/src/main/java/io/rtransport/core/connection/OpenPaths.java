package io.rtransport.core.connection;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.rail.PairHealth;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.wire.NumberedHeaderFlyweight;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.PingFlyweight;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * The open paths of a connection, each with an index. The first path is this object itself, so that
 * a connection with one path keeps one object.
 */
class OpenPaths extends OpenPath {
  static final int PATHS_MAX = Limits.PATHS_MAX;
  private static final int NO_PATH = PacketBurst.NO_PATH;
  private static final int ID_MAX = 255;

  /** What a connection needs for several paths, each with its index. */
  private static final class Several {
    final OpenPath[] paths = new OpenPath[PATHS_MAX];
    final PairHealth[] healths = new PairHealth[PATHS_MAX];
  }

  private Several several; // null while there is one path, which is this object
  private byte openMask = 1;
  private short nextId = 1;

  OpenPaths(Pair first) {
    super(first.ni(), first.remote(), 0, 0);
  }

  /** Returns the open paths, a bit for each index. */
  final int openMask() {
    return openMask & 0xFF;
  }

  /** Returns whether no second path was ever open. */
  final boolean isSingle() {
    return several == null;
  }

  final boolean isOpen(int index) {
    return index >= 0 && index < PATHS_MAX && (openMask() & 1 << index) != 0;
  }

  /** Returns the open path with this index. */
  final OpenPath path(int index) {
    return several == null ? this : several.paths[index];
  }

  /** Returns the index of the first open path. 0 unless that was closed. */
  final int first() {
    return Integer.numberOfTrailingZeros(openMask());
  }

  /** Returns {@code index} if that path is open, else {@code otherwise}. */
  final int openOr(int index, int otherwise) {
    return isOpen(index) ? index : otherwise;
  }

  /** Returns the {@code nth} of the open paths, from 0: {@code best} first, then the others. */
  final int nth(int nth, int best) {
    int left = nth % Integer.bitCount(openMask());
    if (left == 0) {
      return best;
    }
    int others = openMask() & ~(1 << best);
    for (; left > 1; left--) {
      others &= others - 1;
    }
    return Integer.numberOfTrailingZeros(others);
  }

  /** Returns the index of the path over a pair, or {@link PacketBurst#NO_PATH}. */
  final int indexOf(int by, InetSocketAddress from) {
    if (several == null) {
      return isAt(by, from) ? 0 : NO_PATH;
    }
    for (int i = 0; i < PATHS_MAX; i++) {
      if (several.paths[i] != null && several.paths[i].isAt(by, from)) {
        return i;
      }
    }
    return NO_PATH;
  }

  /** Returns whether a path was over a pair shortly before. */
  final boolean wasPath(int by, InetSocketAddress from, long nowNs) {
    for (int i = first(); i < PATHS_MAX; i++) {
      if (isOpen(i) && path(i).wasAt(by, from, nowNs)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the index of the path whose counterpart is {@code id}, or −1. */
  final int withCounterpart(int id) {
    for (int i = first(); i < PATHS_MAX; i++) {
      if (isOpen(i) && path(i).counterpart() == id) {
        return i;
      }
    }
    return NO_PATH;
  }

  /**
   * Learns the peer's id of a path from a packet that came by it. An id that another path has is
   * not believed: the packet may be a replay.
   */
  final void learn(int type, ByteBuffer buffer, int offset, int arrival) {
    if (isSingle() || !isOpen(arrival) || path(arrival).counterpart() != UNKNOWN_ID) {
      return;
    }
    int idOffset =
        PacketType.isNumbered(type)
            ? NumberedHeaderFlyweight.PATH_ID_OFFSET
            : type == PacketType.PING ? PingFlyweight.PATH_ID_WORD_OFFSET : 0;
    if (idOffset > 0) {
      int id = buffer.get(offset + idOffset) & 0xFF;
      if (withCounterpart(id) < 0) {
        path(arrival).counterpart(id);
      }
    }
  }

  /**
   * Returns the index of the path that a response with the peer's id {@code peersId} means, or −1.
   * A peer without rails names none, which is −1 here, and means its only path.
   */
  public final int meant(int peersId) {
    return peersId < 0 ? first() : withCounterpart(peersId);
  }

  public final OpenPath firstPath() {
    return path(first());
  }

  public final boolean hasPath(Pair pair) {
    return indexOf(pair.ni(), pair.remote()) >= 0;
  }

  public final boolean hasRemote(InetSocketAddress address) {
    for (int i = first(); i < PATHS_MAX; i++) {
      if (isOpen(i) && path(i).remote().equals(address)) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether a path leads over an interface of ours. */
  final boolean hasNi(int ni) {
    for (int i = first(); i < PATHS_MAX; i++) {
      if (isOpen(i) && path(i).ni() == ni) {
        return true;
      }
    }
    return false;
  }

  /** Returns one bit for each interface of an initiator that a path has. */
  final long openNis() {
    long nis = 0;
    for (int i = first(); i < PATHS_MAX; i++) {
      nis |= isOpen(i) ? 1L << path(i).ni() : 0;
    }
    return nis;
  }

  final void forEachRemote(Consumer<InetSocketAddress> consumer) {
    for (int i = first(); i < PATHS_MAX; i++) {
      if (isOpen(i)) {
        consumer.accept(path(i).remote());
      }
    }
  }

  /**
   * Adds a path under the next id.
   *
   * @param held one bit for each index that a closed path still holds
   * @return its index; −1 if as many as allowed are open, or all ids were used
   */
  final int add(Pair pair, int counterpart, int held) {
    int index = Integer.numberOfTrailingZeros(~(openMask() | held));
    if (index >= PATHS_MAX || nextId > ID_MAX) {
      return NO_PATH;
    }
    if (several == null) {
      several = new Several();
      several.paths[0] = this;
    }
    several.paths[index] = new OpenPath(pair.ni(), pair.remote(), nextId++, counterpart);
    openMask |= (byte) (1 << index);
    return index;
  }

  /** Removes a path, which is not the only one. Returns the address that it had. */
  final InetSocketAddress remove(int index) {
    InetSocketAddress address = several.paths[index].remote();
    several.paths[index] = null;
    openMask &= (byte) ~(1 << index);
    return address;
  }

  /** Counts packets that leave, each for its path. A challenge has no path yet. */
  final void countSent(PacketBurst burst) {
    for (int i = 0; i < burst.count(); ) {
      int index = burst.pathIndex(i);
      int first = i;
      long bytes = 0;
      do {
        bytes += burst.length(i++);
      } while (i < burst.count() && burst.pathIndex(i) == index);
      if (isOpen(index)) {
        path(index).countSent(i - first, bytes);
      }
    }
  }

  /**
   * Counts a valid packet that has arrived. One from another address than a path's is no path's.
   */
  final void countReceived(int index, int bytes) {
    if (isOpen(index)) {
      path(index).countReceived(bytes);
    }
  }

  /** Returns the health of an open path's ends; null while there is one path. */
  final PairHealth health(int index) {
    return several == null ? null : several.healths[index];
  }

  /** Sets the health of a path's ends, and gives the former back. Null: none. */
  final void health(int index, PairHealth next) {
    if (several.healths[index] != null) {
      several.healths[index].close();
    }
    several.healths[index] = next;
  }

  /** Gives all healths back: the connection is over. */
  final void closeHealths() {
    for (int i = 0; several != null && i < PATHS_MAX; i++) {
      health(i, null);
    }
  }
}
