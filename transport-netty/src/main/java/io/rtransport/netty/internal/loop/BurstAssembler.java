package io.rtransport.netty.internal.loop;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.netty.port.ReceiveBuffer;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Consecutive packets of one connection that are not yet given to it: its burst, and the receive
 * buffers that hold them. It holds a count of each buffer until then. Loop-confined.
 */
public final class BurstAssembler {
  private final PacketBurst burst = new PacketBurst();
  private final List<ReceiveBuffer> lent = new ArrayList<>();
  private LoopLink link;
  private int cid;
  private InetSocketAddress peer;
  private int arrival;
  private ReceiveBuffer buffer;

  /** Returns the link that the packets belong to; null if there are no packets. */
  public LoopLink link() {
    return link;
  }

  public boolean isFull() {
    return burst.isFull();
  }

  /**
   * Returns whether a packet for {@code to} in {@code in} fits behind the last one: same
   * connection, from the same address of its peer, and there is room.
   */
  public boolean isContinuedBy(ReceiveBuffer in, int to, InetSocketAddress from) {
    return link != null
        && in == buffer
        && to == cid
        && arrival >= 0
        && !burst.isFull()
        && (from == peer || from != null && from.equals(peer));
  }

  /**
   * Begins packets of {@code newLink} that come from {@code newPeer}. Allowed only if there are no
   * packets, or only packets of the same link.
   *
   * @param newArrival index of the path that they came by; negative: none, then {@code newPeer} is
   *     null and each further packet is routed
   */
  public void begin(LoopLink newLink, int newCid, InetSocketAddress newPeer, int newArrival) {
    assert link == null || link == newLink : "packets of " + link + " were not given to it";
    link = newLink;
    cid = newCid;
    peer = newPeer;
    arrival = newArrival;
  }

  public void add(ReceiveBuffer from, int offset, int length) {
    if (from != buffer) {
      buffer = from;
      from.bytes().retain();
      lent.add(from);
    }
    burst.add(from.view(), offset, length, arrival, PacketBurst.TRANSIENT);
  }

  /** Gives the packets to their connection, and releases the buffers. */
  public void give() {
    LoopLink to = link;
    link = null;
    peer = null;
    buffer = null;
    try {
      to.receiveBurst(null, burst);
    } finally {
      burst.clear();
      for (int i = 0; i < lent.size(); i++) {
        lent.get(i).bytes().release();
      }
      lent.clear();
    }
  }

  /** Returns the receive buffer behind {@code view} during {@link #give}; else null. */
  public ReceiveBuffer lentBuffer(ByteBuffer view) {
    for (int i = 0; i < lent.size(); i++) {
      if (lent.get(i).view() == view) {
        return lent.get(i);
      }
    }
    return null;
  }
}
