package io.rtransport.core.time;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.agrona.DeadlineTimerWheel;

/**
 * The soonest deadline of each connection of an event loop, on Agrona's {@link DeadlineTimerWheel}:
 * one wheel a loop, one entry a connection.
 *
 * <p><b>Next deadline.</b> A loop arms one timer, and needs the exact next deadline. So the soonest
 * deadline of each spoke stands beside the wheel, in a tree ({@link Soonest}) whose root is the
 * soonest of all.
 *
 * <p><b>Far deadlines.</b> The wheel has the deadlines of the coming turn. Those further away,
 * mostly of idle connections, are in lists, and take no places from near ones. A list has the
 * deadlines of the same 1.07 s, and those a multiple of 550 s earlier or later. It comes up at its
 * soonest deadline: slots that are due expire, those due within a turn move into the wheel, the
 * others go back. So a list comes up at most once a turn, eight times in 550 s. A slot that leaves
 * a list may leave its deadline behind as the list's soonest: then the loop wakes up once for
 * nothing.
 *
 * <p><b>Jumps.</b> Ticks in which nothing is due are not walked through. The wheel jumps to the
 * tick of the soonest deadline, so it never jumps past a spoke that has an entry of that time.
 *
 * <p><b>Moving later.</b> An acknowledgement moves a deadline later, and only writes a field. The
 * wheel learns of it when the older, sooner entry comes up. So a busy connection costs one wheel
 * operation an expiry, not one a packet.
 *
 * <p><b>Bound.</b> Agrona doubles every spoke when one is full. A spoke here takes no more than it
 * has places for. What finds it full waits in a list, for which the next tick's spoke has one
 * entry, due as that tick begins: at most one tick late. Lists have no bound of their own: a slot
 * is in one of them at the most.
 *
 * <p>Confined to one event loop. Allocates only when a slot is used for the first time.
 */
public final class DeadlineWheel {
  /** No deadline. */
  public static final long NONE = DeadlineTimerWheel.NULL_DEADLINE;

  /** How late a deadline may be at most, where its spoke was full. */
  public static final long TICK_NS = 1 << 18;

  static final int SPOKES = 512;
  static final int SPOKE_PLACES = 8;

  /** Deadlines of connections in a spoke at most. The last place is for the entry of a list. */
  static final int SPOKE_MAX = SPOKE_PLACES - 1;

  static final long TURN_NS = TICK_NS * SPOKES;

  /** Lists of deadlines that are a turn away or more. They span 550 s, and the idle timeout 300. */
  static final int FAR_LISTS = 512;

  /** 1.07 s. */
  static final long FAR_LIST_NS = 8 * TURN_NS;

  /** Before all clocks, and far enough from the last deadline that no difference overflows. */
  private static final long START_NS = Long.MIN_VALUE / 2;

  private static final int TICK_SHIFT = Long.numberOfTrailingZeros(TICK_NS);
  private static final int FAR_SHIFT = Long.numberOfTrailingZeros(FAR_LIST_NS);
  private static final int ABSENT = -1;

  /** In place of a slot: the entry of the spoke's list. */
  private static final int LIST = -2;

  /** The list of what has come up. The lists before it are the spokes'. */
  private static final int DUE = SPOKES;

  /** The first list of far deadlines. */
  private static final int FAR = DUE + 1;

  private final DeadlineTimerWheel wheel =
      new DeadlineTimerWheel(TimeUnit.NANOSECONDS, START_NS, TICK_NS, SPOKES, SPOKE_PLACES);
  private final DeadlineTimerWheel.TimerHandler expiry = this::onExpiry;
  private final Soonest near = new Soonest(SPOKES);
  private final Soonest far = new Soonest(FAR_LISTS);
  private final SlotLists lists = new SlotLists(FAR + FAR_LISTS);

  /** Whose deadline an entry of the wheel is: a slot, or {@link #LIST}. Spoke by spoke. */
  private final int[] slots = new int[SPOKES * SPOKE_PLACES];

  /** Deadlines of connections in each spoke. */
  private final byte[] counts = new byte[SPOKES];

  /** When each spoke's list comes up; {@link #NONE} where it is empty. */
  private final long[] listNs = new long[SPOKES];

  /** The entry of each spoke's list. */
  private final int[] listEntries = new int[SPOKES];

  private long[] wanted = new long[0];

  /** Where a slot is: its entry of the wheel, {@link #ABSENT}, or {@link #listed} in a list. */
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

  /** The slot whose deadline has come, its entry taken out; -1 when none has. */
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
   * When {@link #pollExpired} is to be called next, {@link #NONE} for never. At most a tick later
   * than the soonest deadline.
   */
  public long nextDeadlineNs() {
    return lists.first(DUE) == SlotLists.NIL ? Math.min(near.ofAll(), far.ofAll()) : dueNs;
  }

  /** Spokes, and lists of far deadlines, looked through so far. */
  long polls() {
    return polls;
  }

  /** Slots that have come up so far, expired or not. */
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

  /** When the wheel looks at what is at {@code place}. */
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

  /** An id of Agrona's has the spoke in its upper half, and the place in it in its lower one. */
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

  /** Which of the lists of far deadlines. */
  private static int farIndex(long deadlineNs) {
    return (int) (deadlineNs - START_NS >> FAR_SHIFT) & FAR_LISTS - 1;
  }

  /** The place of what is in {@code list}, and the other way round. */
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
