package io.rtransport.netty.port;

import io.rtransport.core.connection.ConnectionConfig;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.wire.PacketBurst;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * One local address of one event loop, to send packets from and to receive them at. Counted by
 * those who use it (a server channel, each connection); closed with the last. Loop-confined.
 * Implementations: {@link DatagramPort} over a socket, and a test's over memory.
 */
public abstract class RtPort {
  private int users = 1;
  private Object owner;
  private int firstInLine;
  private boolean hasLeftUnread;
  private long leftUnreadNs;
  private int datagramLengthMax = Limits.PACKET_LENGTH_MAX;
  private int receivedLengthMax = Limits.PACKET_LENGTH_MAX;

  /** The concrete address that it is bound to. */
  public abstract InetSocketAddress localAddress();

  /** The peer's address where the port takes and sends nothing else, or null. */
  public abstract InetSocketAddress remoteAddress();

  /** From now on the port takes and sends nothing but {@code remote}'s. */
  public abstract void connect(InetSocketAddress remote) throws Exception;

  /** Whether a {@link #send} would leave at once. Sending without is possible, and queued. */
  public abstract boolean hasRoom();

  /**
   * Sends the burst's packets that are not dropped. Bytes in the retransmission store are pinned
   * there for as long as they are needed, others are copied.
   */
  public abstract void send(PacketBurst burst, InetSocketAddress to);

  /** Sends one packet of nobody's; dropped when there is no room. The bytes are borrowed. */
  public abstract void send(ByteBuffer buffer, int offset, int length, InetSocketAddress to);

  /** Closes the socket; {@link PortListener#onClosed} follows. */
  protected abstract void close();

  /** Whether its last read batch found nothing more to read. */
  protected boolean isEmptied() {
    return true;
  }

  /** A read batch is over. */
  public final void onReadComplete(long nowNs) {
    hasLeftUnread = !isEmptied();
    leftUnreadNs = nowNs;
  }

  /**
   * Whether a read batch since {@code timeNs} was the last one, and may have left packets behind.
   */
  public final boolean hasUnreadSince(long timeNs) {
    return hasLeftUnread && leftUnreadNs - timeNs >= 0;
  }

  /**
   * Whether the packets of one read may come up in different tasks of the loop, and its end later
   * still or, when it closes, never.
   */
  public boolean readsInPieces() {
    return false;
  }

  /**
   * The longest datagram that leaves in one piece or not at all, bytes; 0: the system may cut any
   * of them.
   */
  public final int datagramLengthMax() {
    return datagramLengthMax;
  }

  /** The longest datagram that it takes, bytes. */
  public final int receivedLengthMax() {
    return receivedLengthMax;
  }

  /**
   * Whether what it sends leaves in one piece or not at all, and the longest that it takes; both
   * without bound where nothing is said.
   */
  protected final void lengthsMax(boolean isWhole, int receivedBytes) {
    datagramLengthMax = isWhole ? Limits.PACKET_LENGTH_MAX : 0;
    receivedLengthMax = Math.min(Limits.PACKET_LENGTH_MAX, receivedBytes);
  }

  /**
   * {@code wishes}, of which the longest datagram is as long as this port takes if nothing else was
   * wished for.
   */
  public final ConnectionConfig fitted(ConnectionConfig wishes) {
    boolean isFree = wishes.isPathMtuDiscovered() && !wishes.isDatagramLengthMaxSet();
    int bytes = Math.max(wishes.datagramLengthBytes(), receivedLengthMax());
    return isFree ? wishes.toBuilder().datagramLengthBytesMax(bytes).build() : wishes;
  }

  /** IP_TOS from now on, 0..255. */
  public void trafficClass(int value) {}

  /** System calls of its socket so far, both ways. */
  public abstract long socketCalls();

  /**
   * Sends of several packets that the kernel refused to cut (GSO), so that they went out one by
   * one.
   */
  public long refusedSegmentSends() {
    return 0;
  }

  /**
   * From now on other ports, opened with {@link PortConfig#sharesPort}, may be bound to the same
   * address and port, and get a part of what comes. Only now: while it was bound nobody else may
   * have had it.
   *
   * @throws UnsupportedOperationException if its kind of socket cannot
   */
  public void share() {
    throw new UnsupportedOperationException("ports of this kind cannot share an address");
  }

  /**
   * From now on what comes in here is said to have come in at the port that {@code ports} names. A
   * port whose socket can tell where a datagram was sent to has it do so.
   */
  public void addresses(AddressPorts ports) {}

  /** Whether its last user has left. */
  public final boolean isClosed() {
    return users == 0;
  }

  /** One more user. */
  public final void retain() {
    assert users > 0 : "port is closed";
    users++;
  }

  /** One user less: the last one closes it. */
  public final void release() {
    assert users > 0 : "port is closed";
    users--;
    if (users == 0) {
      close();
    }
  }

  /** Whether somebody still uses it. */
  protected final boolean isUsed() {
    return users > 0;
  }

  /** Whom unknown packets are for: the server channel, though it may have closed, or null. */
  public final Object owner() {
    return owner;
  }

  public final void owner(Object newOwner) {
    owner = newOwner;
  }

  /**
   * Which of its users found no room, and so is the first to send when there is some: a number of
   * the driver's.
   */
  public final int firstInLine() {
    return firstInLine;
  }

  public final void firstInLine(int newFirst) {
    firstInLine = newFirst;
  }
}
