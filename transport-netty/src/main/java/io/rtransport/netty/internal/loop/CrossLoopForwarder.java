package io.rtransport.netty.internal.loop;

import io.netty.buffer.ByteBufAllocator;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.netty.port.RtPort;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;

/**
 * Hands packets to another event loop if their connection lives there, and takes the packets of
 * other loops. The system spreads datagrams over the sockets of a port by their addresses. So this
 * happens to a peer whose address has changed, and to all peers when the number of sockets changes.
 *
 * <pre>
 *   read batch: one {@link PacketBatch} for each loop, copied
 *     ──▶ at its end: into that loop's inbox, which is bounded ──▶ one task there
 *     ──▶ inbox full, no memory, or loop ended: dropped and counted, as a lost packet that is
 *         sent again
 * </pre>
 *
 * <p>A packet is handed over only once: the loop that gets it deals with it. Only this loop uses
 * the collected packets; any thread may use the inbox.
 */
public final class CrossLoopForwarder {
  /** Limit of the batches that wait for a loop: 4 MiB, as much as a socket buffer. */
  public static final int INBOX_BATCHES_MAX = 64;

  private static final class Outgoing {
    final LoopDriver to;
    final PacketBatch batch;

    Outgoing(LoopDriver to, PacketBatch batch) {
      this.to = to;
      this.batch = batch;
    }
  }

  private final LoopDriver driver;
  private final ByteBufAllocator memory;
  private final Runnable takeTask;
  private final List<Outgoing> outgoing = new ArrayList<>();
  private final ArrayDeque<PacketBatch> inbox = new ArrayDeque<>();
  private boolean isClosed;

  public CrossLoopForwarder(LoopDriver driver) {
    this(driver, ByteBufAllocator.DEFAULT);
  }

  /**
   * @param memory for the copies
   */
  public CrossLoopForwarder(LoopDriver driver, ByteBufAllocator memory) {
    this.driver = driver;
    this.memory = memory;
    this.takeTask = this::takeAll;
  }

  /**
   * Collects a packet for {@code to}. {@code port} is the port at which the packet should have come
   * in.
   */
  public void collect(
      LoopDriver to, RtPort port, ByteBuffer view, int offset, int length, InetSocketAddress from) {
    for (int i = 0; i < outgoing.size(); i++) {
      Outgoing open = outgoing.get(i);
      if (open.batch.port == port) {
        if (open.batch.add(view, offset, length, from)) {
          return;
        }
        outgoing.remove(i);
        post(open);
        break;
      }
    }
    if (length > PacketBatch.BYTES_MAX) { // longer than any packet
      driver.counters().increment(CounterId.DROP_OVERLONG);
      return;
    }
    PacketBatch opened = open(port);
    if (opened != null && opened.add(view, offset, length, from)) {
      outgoing.add(new Outgoing(to, opened));
      return;
    }
    if (opened != null) {
      opened.release();
    }
    driver.counters().increment(CounterId.HAND_OVERS_DROPPED);
  }

  /** Returns a new batch; null if there is no memory for it. */
  private PacketBatch open(RtPort port) {
    try {
      return new PacketBatch(port, memory);
    } catch (OutOfMemoryError e) {
      return null;
    }
  }

  /** Posts all collected packets at the end of a read batch. */
  public void postAll() {
    for (int i = 0; i < outgoing.size(); i++) {
      post(outgoing.get(i));
    }
    outgoing.clear();
  }

  private void post(Outgoing open) {
    Counters counters = driver.counters();
    int count = open.batch.count();
    if (open.to.forwarder().offer(open.batch)) {
      counters.add(CounterId.HANDED_OVER, count);
    } else {
      open.batch.release();
      counters.add(CounterId.HAND_OVERS_DROPPED, count);
    }
  }

  /** Takes {@code batch} over, or returns false. Any thread. */
  public boolean offer(PacketBatch batch) {
    boolean isFirst;
    synchronized (inbox) {
      if (isClosed) {
        return false;
      }
      isFirst = inbox.isEmpty();
      PacketBatch last = inbox.peekLast();
      if (last != null && last.addAll(batch)) { // so that small batches do not fill the inbox early
        batch.release();
      } else if (inbox.size() < INBOX_BATCHES_MAX) {
        inbox.add(batch);
      } else {
        return false;
      }
    }
    return !isFirst || schedule(batch);
  }

  private boolean schedule(PacketBatch first) {
    try {
      driver.loop().execute(takeTask);
      return true;
    } catch (RejectedExecutionException e) {
      synchronized (inbox) {
        return !inbox.remove(first); // if it is not there, close() has released it
      }
    }
  }

  /** Returns the number of waiting batches. */
  public int waiting() {
    synchronized (inbox) {
      return inbox.size();
    }
  }

  private void takeAll() {
    try {
      for (int i = 0; i < INBOX_BATCHES_MAX; i++) {
        PacketBatch batch = poll();
        if (batch == null) {
          return;
        }
        driver.take(batch);
      }
    } finally {
      // Other tasks have their turn between. A failure must not leave waiting batches behind.
      if (waiting() > 0) {
        driver.loop().execute(takeTask);
      }
    }
  }

  private PacketBatch poll() {
    synchronized (inbox) {
      return inbox.poll();
    }
  }

  /** Takes nothing more: the loop has ended. */
  public void close() {
    synchronized (inbox) {
      isClosed = true;
      for (PacketBatch batch = inbox.poll(); batch != null; batch = inbox.poll()) {
        driver.counters().add(CounterId.HAND_OVERS_DROPPED, batch.count());
        batch.release();
      }
    }
    for (Outgoing open : outgoing) {
      open.batch.release();
    }
    outgoing.clear();
  }
}
