package io.rtransport.netty.internal.loop;

import io.rtransport.core.wire.PacketBurst;
import io.rtransport.netty.port.ReceiveBuffer;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Packets in a row for one connection, not yet given to it: its burst, and the receive buffers in
 * which they lie, of each of which it holds a count until then. Loop-confined.
 */
public final class BurstAssembler {
  private final PacketBurst burst = new PacketBurst();
  private final List<ReceiveBuffer> lent = new ArrayList<>();
  private LoopLink link;
  private int cid;
  private InetSocketAddress peer;
  private ReceiveBuffer buffer;

  /** Whose packets they are; null: there are none. */
  public LoopLink link() {
    return link;
  }

  public boolean isFull() {
    return burst.isFull();
  }

  /**
   * Whether a packet for {@code to} in {@code in} is of the last one's connection, and from its
   * peer's own address, and there is room.
   */
  public boolean isContinuedBy(ReceiveBuffer in, int to, InetSocketAddress from) {
    return link != null
        && in == buffer
        && to == cid
        && !burst.isFull()
        && (from == peer || from != null && from.equals(peer));
  }

  /**
   * The next ones are {@code newLink}'s, whose peer is at {@code newPeer}. Only where there are
   * none, or none of another's.
   */
  public void begin(LoopLink newLink, int newCid, InetSocketAddress newPeer) {
    assert link == null || link == newLink : "packets of " + link + " were not given to it";
    link = newLink;
    cid = newCid;
    peer = newPeer;
  }

  public void add(ReceiveBuffer from, int offset, int length) {
    if (from != buffer) {
      buffer = from;
      from.bytes().retain();
      lent.add(from);
    }
    burst.add(from.view(), offset, length, 0, PacketBurst.TRANSIENT);
  }

  /** Gives them to their connection, and the buffers back. */
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

  /** The receive buffer behind {@code view}, while {@link #give} is on; else null. */
  public ReceiveBuffer lentBuffer(ByteBuffer view) {
    for (int i = 0; i < lent.size(); i++) {
      if (lent.get(i).view() == view) {
        return lent.get(i);
      }
    }
    return null;
  }
}
