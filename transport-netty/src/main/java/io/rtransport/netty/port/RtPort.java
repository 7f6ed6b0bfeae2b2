package io.rtransport.netty.port;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.stats.Limits;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.function.IntFunction;

/**
 * One local address of one event loop, for sending and receiving packets. It counts its users (a
 * server channel, each connection) and closes with the last. Loop-confined. Implementations: {@link
 * DatagramPort} over a socket, and a test's over memory.
 */
public abstract class RtPort {
  private int users = 1;
  private int ni;
  private IntFunction<RtPort> siblings;
  private Object owner;
  private boolean isLeft;
  private int firstInLine;
  private boolean hasLeftUnread;
  private long leftUnreadNs;
  private int datagramLengthMax = Limits.PACKET_LENGTH_MAX;
  private int receivedLengthMax = Limits.PACKET_LENGTH_MAX;

  /**
   * Returns the number of its interface, among those of its server channel or of its client's
   * connection. The first has 0.
   */
  public final int ni() {
    return ni;
  }

  /** Sets {@link #ni}, 0..127. Call before the first packet. */
  public final void ni(int number) {
    ni = number;
  }

  /** Returns the port of the same server channel and loop with this number; null: none. */
  public final RtPort sibling(int number) {
    return siblings == null ? null : siblings.apply(number);
  }

  /** Sets who knows the other ports of its server channel and loop. */
  public final void siblings(IntFunction<RtPort> known) {
    siblings = known;
  }

  /** Returns the concrete address that the port is bound to. */
  public abstract InetSocketAddress localAddress();

  /** Returns whether the system chose its number, so that another port may take its place. */
  public boolean isNumberFree() {
    return false;
  }

  /** Returns the peer's address if the port is connected to it; else null. */
  public abstract InetSocketAddress remoteAddress();

  /** Connects the port: from now on it takes and sends packets of {@code remote} only. */
  public abstract void connect(InetSocketAddress remote) throws Exception;

  /**
   * Returns whether a {@link #send} would leave at once. A send without room is possible, and is
   * queued.
   */
  public abstract boolean hasRoom();

  /**
   * Sends the packets of the burst that are not dropped. Bytes in the retransmission store are
   * pinned there as long as they are needed; other bytes are copied.
   */
  public abstract void send(PacketBurst burst, InetSocketAddress to);

  /**
   * Sends one packet that belongs to no connection. Drops it if there is no room. The bytes are
   * borrowed.
   */
  public abstract void send(ByteBuffer buffer, int offset, int length, InetSocketAddress to);

  /** Closes the socket; {@link PortListener#onClosed} follows. */
  protected abstract void close();

  /** Returns whether the last read batch found nothing more to read. */
  protected boolean isEmptied() {
    return true;
  }

  /** Tells that a read batch is over. */
  public final void onReadComplete(long nowNs) {
    hasLeftUnread = !isEmptied();
    leftUnreadNs = nowNs;
  }

  /**
   * Returns whether the last read batch ended at {@code timeNs} or later, and may have left packets
   * behind.
   */
  public final boolean hasUnreadSince(long timeNs) {
    return hasLeftUnread && leftUnreadNs - timeNs >= 0;
  }

  /**
   * Returns whether the packets of one read may come in different tasks of the loop. Then the end
   * of the read comes even later, or never if the port closes.
   */
  public boolean readsInPieces() {
    return false;
  }

  /**
   * Returns the length of the longest datagram that leaves in one piece or not at all, bytes. 0
   * means that the system may fragment any datagram.
   */
  public final int datagramLengthMax() {
    return datagramLengthMax;
  }

  /** Returns the length of the longest datagram that the port takes, bytes. */
  public final int receivedLengthMax() {
    return receivedLengthMax;
  }

  /**
   * Sets whether datagrams leave in one piece or not at all, and the longest datagram that the port
   * takes, bytes. Without this call both have no bound.
   */
  protected final void lengthsMax(boolean isWhole, int receivedBytes) {
    datagramLengthMax = isWhole ? Limits.PACKET_LENGTH_MAX : 0;
    receivedLengthMax = Math.min(Limits.PACKET_LENGTH_MAX, receivedBytes);
  }

  /**
   * Returns {@code wishes} with the longest datagram that this port takes, if the wishes name no
   * length.
   */
  public final ConnectionConfig fitted(ConnectionConfig wishes) {
    boolean isFree = wishes.isPathMtuDiscovered() && !wishes.isDatagramLengthMaxSet();
    int bytes = Math.max(wishes.datagramLengthBytes(), receivedLengthMax());
    return isFree ? wishes.toBuilder().datagramLengthBytesMax(bytes).build() : wishes;
  }

  /** Sets IP_TOS from now on, 0..255. */
  public void trafficClass(int value) {}

  /** Returns the number of system calls of its socket so far, in both directions. */
  public abstract long socketCalls();

  /**
   * Returns the number of sends of several packets that the kernel refused to cut (GSO). Their
   * packets went out one by one.
   */
  public long refusedSegmentSends() {
    return 0;
  }

  /**
   * Lets other ports be bound to the same address and port from now on. Those are opened with
   * {@link PortConfig#sharesPort} and get a part of the incoming datagrams. The call comes only
   * after the bind, so that nobody else can have had the address before.
   *
   * @throws UnsupportedOperationException if its kind of socket cannot
   */
  public void share() {
    throw new UnsupportedOperationException("ports of this kind cannot share an address");
  }

  /**
   * Makes the port report incoming packets as packets of the port that {@code ports} names, from
   * now on. If the socket can tell where a datagram was sent to, it does so from now on.
   */
  public void addresses(AddressPorts ports) {}

  /** Returns whether its last user has left. */
  public final boolean isClosed() {
    return users == 0;
  }

  /** Adds one user. */
  public final void retain() {
    assert users > 0 : "port is closed";
    users++;
  }

  /** Removes one user; the last one closes the port. */
  public final void release() {
    assert users > 0 : "port is closed";
    users--;
    if (users == 0) {
      close();
    }
  }

  /** Returns whether the port has a user. */
  protected final boolean isUsed() {
    return users > 0;
  }

  /** Returns the server channel that unknown packets are for, or null. It may have closed. */
  public final Object owner() {
    return owner;
  }

  public final void owner(Object newOwner) {
    owner = newOwner;
  }

  /** Returns whether its server channel has given the address up. It accepts no connection. */
  public final boolean isLeft() {
    return isLeft;
  }

  /** Notes that the server channel gives the address up. Connections keep the port. */
  public final void leave() {
    isLeft = true;
    release();
  }

  /** Takes an address back that was given up, if the port is still open: it accepts again. */
  public final boolean takeBack() {
    boolean isPossible = isLeft && !isClosed();
    if (isPossible) {
      isLeft = false;
      retain();
    }
    return isPossible;
  }

  /**
   * Returns the number of the user that found no room and so sends first when there is room again.
   * The driver gives the numbers.
   */
  public final int firstInLine() {
    return firstInLine;
  }

  public final void firstInLine(int newFirst) {
    firstInLine = newFirst;
  }
}
