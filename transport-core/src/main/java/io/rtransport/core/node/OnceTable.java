package io.rtransport.core.node;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Which messages of other nodes this node has begun to execute, and how each ended. A message that
 * comes again joins its first execution, or gets its result. So it is executed once, however often
 * its origin sends it. Loop-confined.
 *
 * <p>An id is one of three kinds: <b>new</b>, from the first id that the origin had never sent here
 * when it said HELLO; <b>known</b>, executing or ended; and anything else, which may have been
 * executed and forgotten, and is never executed. What this table forgets it refuses from then on:
 *
 * <ul>
 *   <li>ends of ids below what the origin says has ended there;
 *   <li>an origin that was used least lately, when there are too many. A later HELLO makes it known
 *       again, from its next id on. It says HELLO when a message of it is refused, and gives the
 *       message another id if that was surely not executed ({@link PendingMessage#onRefused}). A
 *       HELLO that was said before the origin was forgotten, and comes after that, would make old
 *       ids new: it is refused by its {@link #mark}.
 * </ul>
 *
 * @param <E> what stands for an execution
 */
public final class OnceTable<E> {
  /** Ids of an origin that are known at a time: the last ones from the first that has not ended. */
  public static final int IDS_MAX = 1_024;

  /** Origins that are known. */
  public static final int ORIGINS_MAX = 1_024;

  /** Origins that one peer may make known, be it itself or a router. */
  public static final int ORIGINS_OF_PEER_MAX = 64;

  /** Places for the marks of forgotten origins: 512 KiB, made for the first of them. */
  private static final int PLACES = 1 << 16;

  /** What to do with a message. */
  public enum Verdict {
    /** Execute it: it was never executed. */
    EXECUTE,
    /** It is being executed: {@link #execution} says by what. */
    JOIN,
    /** It was executed: {@link #result} says how it ended. */
    ENDED,
    /** It may have been executed: never execute it. */
    UNKNOWN
  }

  private static final class Origin<E> {
    final long peer;
    final Map<Long, E> executing = new HashMap<>();
    final Map<Long, Long> results = new HashMap<>();

    /** Ids below are refused, unless they are still executing. */
    long base;

    Origin(long peer, long base) {
      this.peer = peer;
      this.base = base;
    }
  }

  private final long secret;
  private final int places;

  /** By incarnation, the one used least lately first. */
  private final LinkedHashMap<Long, Origin<E>> origins = new LinkedHashMap<>(16, 0.75f, true);

  private final Map<Long, Integer> originsOfPeer = new HashMap<>();

  /**
   * By place, the mark since the last time that one of its origins was forgotten; null: none was. A
   * place has many origins, and which is a secret: so a HELLO may be refused though it is not late,
   * and nobody can choose whose.
   */
  private long[] forgottenAt;

  /** How many origins were forgotten. */
  private long mark;

  /**
   * @param secret drawn at random, so that peers cannot choose origins of the same place
   */
  public OnceTable(long secret) {
    this(secret, PLACES);
  }

  /**
   * @param places a power of two
   */
  OnceTable(long secret, int places) {
    this.secret = secret;
    this.places = places;
  }

  private int placeOf(long origin) {
    long mixed = (origin ^ secret) * 0x9E3779B97F4A7C15L;
    mixed = (mixed ^ mixed >>> 32) * 0xBF58476D1CE4E5B9L;
    return (int) (mixed ^ mixed >>> 32) & places - 1;
  }

  /** Returns what a HELLO is to name that an origin says from now on; it never falls. */
  public long mark() {
    return mark;
  }

  /**
   * Makes an origin known. One that is known stays as it is.
   *
   * @param firstNew the first id that it has never sent to this node
   * @param peer who says so
   * @param saidAt the {@link #mark} before the origin chose {@code firstNew}
   * @return false, and nothing has changed, if the origin may have been forgotten since then, or
   *     that is no mark of this table
   */
  public boolean hello(long origin, long firstNew, long peer, long saidAt) {
    if (origins.get(origin) != null) {
      return true;
    }
    long least = forgottenAt == null ? 0 : forgottenAt[placeOf(origin)];
    if (saidAt < least || saidAt > mark) {
      return false;
    }
    if (originsOfPeer.getOrDefault(peer, 0) >= ORIGINS_OF_PEER_MAX) {
      forgetOne(peer);
    } else if (origins.size() >= ORIGINS_MAX) {
      forgetOne(null);
    }
    origins.put(origin, new Origin<>(peer, firstNew));
    originsOfPeer.merge(peer, 1, Integer::sum);
    return true;
  }

  /**
   * Forgets the origin used least lately, of one peer or of any (null): one that executes nothing,
   * if there is such a one. What it executes is never executed again either: it is not new.
   */
  private void forgetOne(Long peer) {
    Long oldest = null;
    for (Map.Entry<Long, Origin<E>> each : origins.entrySet()) {
      Origin<E> origin = each.getValue();
      boolean isOfPeer = peer == null || origin.peer == peer;
      if (isOfPeer && origin.executing.isEmpty()) {
        oldest = each.getKey();
        break;
      }
      oldest = isOfPeer && oldest == null ? each.getKey() : oldest;
    }
    originsOfPeer.merge(origins.remove(oldest).peer, -1, (a, b) -> a + b == 0 ? null : a + b);
    forgottenAt = forgottenAt == null ? new long[places] : forgottenAt;
    forgottenAt[placeOf(oldest)] = ++mark;
  }

  /**
   * Takes a message.
   *
   * @param endedBelow all ids below have ended at the origin, which asks for them no more
   */
  public Verdict offer(long origin, long id, long endedBelow) {
    Origin<E> known = origins.get(origin);
    if (known == null) {
      return Verdict.UNKNOWN;
    }
    if (known.executing.containsKey(id)) {
      return Verdict.JOIN;
    }
    if (known.results.containsKey(id)) {
      return Verdict.ENDED;
    }
    prune(known, endedBelow);
    boolean isNew = id >= known.base && id - known.base < IDS_MAX;
    isNew &= known.executing.size() < IDS_MAX; // those below the base count too
    return isNew ? Verdict.EXECUTE : Verdict.UNKNOWN;
  }

  private static <E> void prune(Origin<E> origin, long endedBelow) {
    if (endedBelow > origin.base) {
      origin.base = endedBelow;
      origin.results.keySet().removeIf(id -> id < endedBelow);
    }
  }

  /** Notes the execution that {@link #offer} has just asked for. */
  public void begin(long origin, long id, E execution) {
    origins.get(origin).executing.put(id, execution);
  }

  /** Returns what executes a message, or null. */
  public E execution(long origin, long id) {
    Origin<E> known = origins.get(origin);
    return known == null ? null : known.executing.get(id);
  }

  /** Notes how an execution ended. Its origin may ask for it again. */
  public void end(long origin, long id, long result) {
    Origin<E> known = origins.get(origin);
    if (known != null && known.executing.remove(id) != null && id >= known.base) {
      known.results.put(id, result);
    }
  }

  /** Returns how a message ended, for {@link Verdict#ENDED}. */
  public long result(long origin, long id) {
    return origins.get(origin).results.get(id);
  }

  /** Returns whether an origin has said HELLO, and is not forgotten. */
  public boolean isKnown(long origin) {
    return origins.get(origin) != null;
  }

  /** Returns the number of known origins. */
  public int originCount() {
    return origins.size();
  }

  /** Returns the number of ids that are executing or whose ends are kept. */
  public int idCount() {
    int count = 0;
    for (Origin<E> origin : origins.values()) {
      count += origin.executing.size() + origin.results.size();
    }
    return count;
  }
}
