package io.rtransport.core.time;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.agrona.DeadlineTimerWheel;

/**
 * Soonest deadline of each connection of an event loop, on Agrona's {@link DeadlineTimerWheel}: one
 * wheel for each event loop, one entry for each connection.
 *
 * <p><b>Next deadline.</b> An event loop arms one timer, and needs the exact next deadline. So the
 * soonest deadline of each spoke is kept next to the wheel, in a tree ({@link Soonest}) whose root
 * is the soonest of all.
 *
 * <p><b>Far deadlines.</b> The wheel holds the deadlines of the coming turn. Later ones, mostly of
 * idle connections, are in lists, so they take no places from near ones. A list holds the deadlines
 * of the same 1.07 s, and those a multiple of 550 s earlier or later. A list is processed at its
 * soonest deadline: due slots expire, slots due within a turn move into the wheel, the others go
 * back. So a list is processed at most once a turn, eight times in 550 s. When a slot leaves a
 * list, its deadline may stay the list's soonest. The loop then wakes up once for nothing.
 *
 * <p><b>Jumps.</b> The wheel does not walk through ticks in which nothing is due. It jumps to the
 * tick of the soonest deadline, so it never jumps past a spoke with an entry of that time.
 *
 * <p><b>Moving later.</b> An acknowledgement moves a deadline later, and only writes a field. The
 * wheel learns of it when the older, sooner entry expires. So a busy connection costs one wheel
 * operation for each expiry, not for each packet.
 *
 * <p><b>Bound.</b> Agrona doubles every spoke when one is full. Here a spoke takes only as many
 * entries as it has places. A slot that finds its spoke full waits in a list. The next tick's spoke
 * has one entry for that list, due as that tick begins: at most one tick late. Lists need no bound,
 * because a slot is in at most one of them.
 *
 * <p>Confined to one event loop. Allocates only when a slot is used for the first time.
 */
public final class DeadlineWheel {
  /** No deadline. */
  public static final long NONE = DeadlineTimerWheel.NULL_DEADLINE;

  /** Longest delay of a deadline whose spoke was full. */
  public static final long TICK_NS = 1 << 18;

  static final int SPOKES = 512;
  static final int SPOKE_PLACES = 8;

  /** Most deadlines of connections in a spoke. The last place is for the entry of a list. */
  static final int SPOKE_MAX = SPOKE_PLACES - 1;

  static final long TURN_NS = TICK_NS * SPOKES;

  /**
   * Lists of deadlines that are at least one turn away. They span 550 s; the default idle timeout
   * is 300 s.
   */
  static final int FAR_LISTS = 512;

  /** 1.07 s. */
  static final long FAR_LIST_NS = 8 * TURN_NS;

  /**
   * Start before all clocks, and far enough from the last deadline that no difference overflows.
   */
  private static final long START_NS = Long.MIN_VALUE / 2;

  private static final int TICK_SHIFT = Long.numberOfTrailingZeros(TICK_NS);
  private static final int FAR_SHIFT = Long.numberOfTrailingZeros(FAR_LIST_NS);
  private static final int ABSENT = -1;

  /** Value instead of a slot: the entry of the spoke's list. */
  private static final int LIST = -2;

  /** List of the slots that have come up. The lists before it belong to the spokes. */
  private static final int DUE = SPOKES;

  /** First list of far deadlines. */
  private static final int FAR = DUE + 1;

  private final DeadlineTimerWheel wheel =
      new DeadlineTimerWheel(TimeUnit.NANOSECONDS, START_NS, TICK_NS, SPOKES, SPOKE_PLACES);
  private final DeadlineTimerWheel.TimerHandler expiry = this::onExpiry;
  private final Soonest near = new Soonest(SPOKES);
  private final Soonest far = new Soonest(FAR_LISTS);
  private final SlotLists lists = new SlotLists(FAR + FAR_LISTS);

  /** Owner of each entry of the wheel: a slot, or {@link #LIST}. Spoke by spoke. */
  private final int[] slots = new int[SPOKES * SPOKE_PLACES];

  /** Deadlines of connections in each spoke. */
  private final byte[] counts = new byte[SPOKES];

  /** Time when each spoke's list is due; {@link #NONE} if it is empty. */
  private final long[] listNs = new long[SPOKES];

  /** Entry of each spoke's list. */
  private final int[] listEntries = new int[SPOKES];

  private long[] wanted = new long[0];

  /** Place of each slot: its entry of the wheel, {@link #ABSENT}, or {@link #listed} in a list. */
  private int[] places = new int[0];

  private long dueNs;
  private long polls;
  private long looks;

  public DeadlineWheel() {
    Arrays.fill(listNs, NONE);
  }

  /** Sets the deadline of {@code slot}, or {@link #NONE}. */
  public void set(int slot, long deadlineNs, long nowNs) {
    ensure(slot);
    wanted[slot] = deadlineNs;
    int place = places[slot];
    if (place == ABSENT) {
      if (deadlineNs != NONE) {
        insert(slot, deadlineNs, nowNs);
      }
    } else if (deadlineNs == NONE) {
      remove(slot);
    } else if (deadlineNs < comesUpNs(place)) {
      remove(slot);
      insert(slot, deadlineNs, nowNs);
    }
  }

  /** Removes and returns a slot whose deadline has come; -1 when none has. */
  public int pollExpired(long nowNs) {
    while (true) {
      int slot = lists.first(DUE);
      if (slot != SlotLists.NIL) {
        lists.remove(DUE, slot);
        places[slot] = ABSENT;
        long deadlineNs = wanted[slot];
        if (deadlineNs <= nowNs) {
          wanted[slot] = NONE;
          return slot;
        }
        insert(slot, deadlineNs, nowNs);
      } else if (far.ofAll() <= nowNs) {
        pollFar();
      } else if (near.ofAll() <= nowNs) {
        pollSpoke(nowNs);
      } else {
        return -1;
      }
    }
  }

  /**
   * Returns when {@link #pollExpired} must be called next, {@link #NONE} for never. At most one
   * tick later than the soonest deadline.
   */
  public long nextDeadlineNs() {
    return lists.first(DUE) == SlotLists.NIL ? Math.min(near.ofAll(), far.ofAll()) : dueNs;
  }

  /** Returns the number of spokes and far lists that were processed so far. */
  long polls() {
    return polls;
  }

  /** Returns the number of slots that have come up so far, expired or not. */
  long looks() {
    return looks;
  }

  private void insert(int slot, long deadlineNs, long nowNs) {
    if (deadlineNs - nowNs >= TURN_NS) {
      insertFar(slot, deadlineNs);
      return;
    }
    long tick = Math.max(deadlineNs, wheel.currentTickTime() - 1) - START_NS >> TICK_SHIFT;
    int spoke = spoke(tick);
    if (counts[spoke] < SPOKE_MAX) {
      int entry = schedule(deadlineNs);
      slots[entry] = slot;
      places[slot] = entry;
      counts[spoke]++;
    } else {
      int list = spoke(tick + 1);
      append(list, slot);
      long endNs = (tick + 1 << TICK_SHIFT) + START_NS;
      if (endNs < listNs[list]) {
        cancelList(list);
        listNs[list] = endNs;
        listEntries[list] = schedule(endNs);
        slots[listEntries[list]] = LIST;
      }
    }
  }

  private void insertFar(int slot, long deadlineNs) {
    int index = farIndex(deadlineNs);
    append(FAR + index, slot);
    if (deadlineNs < far.of(index)) {
      far.set(index, deadlineNs);
    }
  }

  private void append(int list, int slot) {
    lists.append(list, slot);
    places[slot] = listed(list);
  }

  private void remove(int slot) {
    int place = places[slot];
    places[slot] = ABSENT;
    if (place >= 0) {
      counts[spokeOfEntry(place)]--;
      cancel(place);
      return;
    }
    int list = listed(place);
    lists.remove(list, slot);
    if (lists.first(list) != SlotLists.NIL) {
      return;
    }
    if (list < DUE) {
      cancelList(list);
      listNs[list] = NONE;
    } else if (list > DUE) {
      far.set(list - FAR, NONE);
    }
  }

  private void cancelList(int list) {
    if (listNs[list] != NONE) {
      cancel(listEntries[list]);
    }
  }

  private int schedule(long deadlineNs) {
    int entry = entry(wheel.scheduleTimer(deadlineNs));
    int spoke = spokeOfEntry(entry);
    if (deadlineNs < near.of(spoke)) {
      near.set(spoke, deadlineNs);
    }
    return entry;
  }

  private void cancel(int entry) {
    int spoke = spokeOfEntry(entry);
    boolean isSoonest = deadlineNs(entry) == near.of(spoke);
    wheel.cancelTimer(timerId(entry));
    if (isSoonest) {
      findSoonest(spoke);
    }
  }

  private void pollFar() {
    dueNs = far.ofAll();
    int index = farIndex(dueNs);
    polls++;
    far.set(index, NONE);
    comeUpAll(FAR + index);
  }

  private void pollSpoke(long nowNs) {
    dueNs = near.ofAll();
    wheel.currentTickTime(dueNs);
    int spoke = spoke(wheel.currentTickTime() - 1 - START_NS >> TICK_SHIFT);
    assert near.of(spoke) == dueNs : "jumped past a deadline, or not to it";
    polls++;
    wheel.poll(nowNs, expiry, Integer.MAX_VALUE);
    findSoonest(spoke);
  }

  private boolean onExpiry(TimeUnit unit, long nowNs, long timerId) {
    int entry = entry(timerId);
    int spoke = spokeOfEntry(entry);
    if (slots[entry] == LIST) {
      listNs[spoke] = NONE;
      comeUpAll(spoke);
    } else {
      counts[spoke]--;
      comeUp(slots[entry]);
    }
    return true;
  }

  private void comeUpAll(int list) {
    for (int slot = lists.first(list); slot != SlotLists.NIL; slot = lists.first(list)) {
      lists.remove(list, slot);
      comeUp(slot);
    }
  }

  private void comeUp(int slot) {
    looks++;
    append(DUE, slot);
  }

  private void findSoonest(int spoke) {
    long soonestNs = NONE;
    for (int i = 0; i < SPOKE_PLACES; i++) {
      soonestNs = Math.min(soonestNs, deadlineNs(spoke * SPOKE_PLACES + i));
    }
    near.set(spoke, soonestNs);
  }

  /** Returns when the wheel processes the entry or list at {@code place}. */
  private long comesUpNs(int place) {
    if (place >= 0) {
      return deadlineNs(place);
    }
    int list = listed(place);
    if (list < DUE) {
      return listNs[list];
    }
    return list == DUE ? Long.MIN_VALUE : far.of(list - FAR);
  }

  private long deadlineNs(int entry) {
    return wheel.deadline(timerId(entry));
  }

  /**
   * Returns the index of an entry. Agrona's timer id has the spoke in its upper half, and the place
   * in the spoke in its lower half.
   */
  private static int entry(long timerId) {
    return (int) (timerId >>> 32) * SPOKE_PLACES + (int) timerId;
  }

  private static long timerId(int entry) {
    return (long) spokeOfEntry(entry) << 32 | entry % SPOKE_PLACES;
  }

  private static int spokeOfEntry(int entry) {
    return entry / SPOKE_PLACES;
  }

  private static int spoke(long tick) {
    return (int) tick & SPOKES - 1;
  }

  /** Returns the index of a list of far deadlines. */
  private static int farIndex(long deadlineNs) {
    return (int) (deadlineNs - START_NS >> FAR_SHIFT) & FAR_LISTS - 1;
  }

  /** Returns the place of a slot in {@code list}, or the list of such a place. */
  private static int listed(int list) {
    return LIST - list;
  }

  private void ensure(int slot) {
    int old = wanted.length;
    if (slot >= old) {
      int length = Math.max(slot + 1, Math.max(16, old * 2));
      wanted = Arrays.copyOf(wanted, length);
      places = Arrays.copyOf(places, length);
      Arrays.fill(wanted, old, length, NONE);
      Arrays.fill(places, old, length, ABSENT);
      lists.ensure(length);
    }
  }
}
