package io.rtransport.netty.internal.loop;

import io.rtransport.netty.port.RtPort;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Links of one event loop, each in the slot of its connection's id. The table also decides which
 * link sends first when a shared port has room again: the one that found no room the last time. So
 * no link starves behind those in lower slots.
 */
public final class LinkTable<L extends LinkTable.Entry> {
  /** A link, as the table sees it. */
  public interface Entry {
    /** Returns whether this is a port of its own. */
    boolean uses(RtPort port);

    /** Tells that a port of its own has room: it may send. */
    void onRoom();

    /** Tells that it threw an exception. */
    void onDefect(Throwable cause);
  }

  /** Empty slots that take about as long as one link. */
  private static final int EMPTY_PART = 16;

  private L[] links;

  @SuppressWarnings("unchecked") // an array of the bound stays inside
  public LinkTable() {
    links = (L[]) new Entry[16];
  }

  public void add(int cid, L link) {
    int slot = slot(cid);
    if (slot >= links.length) {
      links = Arrays.copyOf(links, Math.max(slot + 1, 2 * links.length));
    }
    links[slot] = link;
  }

  public void remove(int cid, L link) {
    int slot = slot(cid);
    if (links[slot] == link) {
      links[slot] = null;
    }
  }

  /** Returns the link of the connection with this id, or null. */
  public L at(int cid) {
    int slot = slot(cid);
    return slot < links.length ? links[slot] : null;
  }

  private static int slot(int cid) {
    return cid >>> 8 & 0xFFFF;
  }

  /** Lets the links of {@code port} send, one after another, as long as it has room. */
  public void offerRoom(RtPort port) {
    int first = port.firstInLine();
    for (int i = 0; i < links.length; i++) {
      int slot = (first + i) % links.length;
      L link = links[slot];
      if (link == null || !link.uses(port)) {
        continue;
      }
      if (!port.hasRoom()) {
        port.firstInLine(slot);
        return;
      }
      try {
        link.onRoom();
      } catch (RuntimeException | Error e) {
        link.onDefect(e);
      }
    }
  }

  public void forEach(Consumer<L> action) {
    for (L link : links) {
      if (link != null) {
        action.accept(link);
      }
    }
  }

  /**
   * Calls {@code action} for some links, in the order of their slots.
   *
   * @param fromSlot 0 at first, then what the call before has returned
   * @param max most links of this call; slots without a link count a sixteenth
   * @return the slot to go on from; −1: all links were seen
   */
  public int forEach(int fromSlot, int max, Consumer<L> action) {
    int slot = fromSlot;
    for (int left = max * EMPTY_PART; slot < links.length && left > 0; slot++) {
      if (links[slot] == null) {
        left--;
      } else {
        left -= EMPTY_PART;
        action.accept(links[slot]);
      }
    }
    return slot < links.length ? slot : -1;
  }

  public void forEachOf(RtPort port, Consumer<L> action) {
    for (L link : links) {
      if (link != null && link.uses(port)) {
        try {
          action.accept(link);
        } catch (RuntimeException | Error e) {
          link.onDefect(e);
        }
      }
    }
  }
}
