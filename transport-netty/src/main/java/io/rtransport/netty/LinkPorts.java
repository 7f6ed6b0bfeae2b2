package io.rtransport.netty;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.connection.Connection;
import io.rtransport.core.stats.CounterId;
import io.rtransport.netty.internal.loop.LoopDriver;
import io.rtransport.netty.internal.loop.Nodes;
import io.rtransport.netty.port.RtPort;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/**
 * Ports of one connection. Each of its paths names one of them by the number of its interface. A
 * connection over one path has one port. A client's further ports are opened with it; a server's
 * are found when a path names one. A port to an address that the peer has told, or one that takes
 * the place of another, is opened when its first packet leaves, and closed when neither a path nor
 * a challenge needs it. Confined to the event loop.
 */
final class LinkPorts {
  private static final RtPort[] NONE = {};

  /** Most further ports: for the open paths and for what is being challenged. */
  private static final int OTHERS_MAX = 24;

  private final Connection connection;
  private RtPort first;

  /** Opens a further port of a client to an address; its answer null: not now. Null: nobody. */
  private final Function<InetSocketAddress, RtPort> opener;

  /** Number of ports that the application has named, or of those that a server began with. */
  private final int givenCount;

  /** Null while there is one port. */
  private RtPort[] others;

  /** One bit for each port, the first's is 0: nobody listens there, as the peer's host says. */
  private int refused;

  /** Likewise: its socket is gone. */
  private int gone;

  private PacketBurst part;
  private int seenChanges;

  /**
   * @param ports the first belongs to path 0. The connection is a user of each, and {@link
   *     #release} gives them back
   * @param opener opens a client's further port to an address, and answers null if that is not
   *     possible now; null: a server's connection, which opens none
   */
  LinkPorts(Connection connection, List<RtPort> ports, Function<InetSocketAddress, RtPort> opener) {
    this.connection = connection;
    this.opener = opener;
    this.givenCount = ports.size();
    this.first = ports.get(0);
    if (ports.size() > 1) {
      others = ports.subList(1, ports.size()).toArray(RtPort[]::new);
    }
  }

  /** Returns the port that the connection began with, or the one that has taken its place. */
  RtPort first() {
    return first;
  }

  /** Returns the port of a path's interface; null: there is none now. */
  private RtPort ofPath(int pathIndex) {
    int ni = connection.ni(pathIndex);
    if (ni == first.ni()) {
      return first;
    }
    InetSocketAddress remote = connection.remote(pathIndex);
    for (int i = 0; others != null && i < others.length; i++) {
      if (others[i].ni() == ni) {
        if (!isOfAnother(i, remote)) {
          return others[i];
        }
        remove(i);
        break;
      }
    }
    RtPort port = opener == null ? joined(ni) : opened(ni, remote);
    if (port == null) {
      connection.onPortRefused();
      return connection.ni(pathIndex) == ni ? null : ofPath(pathIndex);
    }
    return port;
  }

  /** Tells {@code channel} the port of a client's only path, if it is another than the first. */
  void tellReplaced(DrivenChannel channel) {
    int path = Integer.numberOfTrailingZeros(connection.openPaths());
    boolean isOther = opener != null && givenCount == 1 && connection.ni(path) != first.ni();
    RtPort other = isOther ? ofPath(path) : null;
    if (other != null) {
      channel.onPort(other);
    }
  }

  /**
   * Returns whether the port was opened to a told address that had this number before: a connected
   * socket would send there, whatever the packet's address is.
   */
  private boolean isOfAnother(int index, InetSocketAddress remote) {
    return opener != null
        && index >= givenCount - 1
        && !remote.equals(others[index].remoteAddress());
  }

  private RtPort joined(int ni) {
    RtPort found = first.sibling(ni);
    if (count() == OTHERS_MAX) {
      giveLeftBack();
    }
    if (found == null || found.isClosed() || count() == OTHERS_MAX) {
      return first;
    }
    found.retain();
    add(found);
    return found;
  }

  /** Gives ports back whose address the server has given up, and which no path needs. */
  private void giveLeftBack() {
    long needed = connection.nis();
    for (int i = count() - 1; i >= 0; i--) {
      if (others[i].isLeft() && (needed >>> others[i].ni() & 1) == 0) {
        remove(i);
      }
    }
  }

  private RtPort opened(int ni, InetSocketAddress remote) {
    RtPort port = count() == OTHERS_MAX ? null : opener.apply(remote);
    if (port != null) {
      port.ni(ni);
      add(port);
      connection.localAddress(first.ni(), first.localAddress().getAddress());
      connection.localAddress(ni, port.localAddress().getAddress());
    }
    return port;
  }

  /** Returns the number of ports beside the first. */
  int count() {
    return others == null ? 0 : others.length;
  }

  private void add(RtPort port) {
    RtPort[] more = Arrays.copyOf(others == null ? NONE : others, count() + 1);
    more[count()] = port;
    others = more;
  }

  /** Closes the ports that were opened later and that neither a path nor a challenge needs. */
  void sweep() {
    if (opener == null || count() < givenCount) {
      return;
    }
    long needed = connection.nis();
    for (int i = count() - 1; i >= givenCount - 1; i--) {
      if ((needed >>> others[i].ni() & 1) == 0) {
        remove(i);
      }
    }
    for (int i = count() - 1; (needed >>> first.ni() & 1) == 0 && i >= givenCount - 1; i--) {
      if (others[i].remoteAddress().equals(first.remoteAddress())) {
        RtPort former = first;
        first = others[i]; // it has taken the place of the other one
        others[i] = former;
        refused = swapped(refused, i + 1);
        gone = swapped(gone, i + 1);
        remove(i);
      }
    }
  }

  /** Returns {@code bits} with those at 0 and at {@code index} in each other's place. */
  private static int swapped(int bits, int index) {
    int differ = (bits ^ bits >>> index) & 1;
    return bits ^ (differ | differ << index);
  }

  private void remove(int index) {
    RtPort port = others[index];
    RtPort[] fewer = new RtPort[others.length - 1];
    System.arraycopy(others, 0, fewer, 0, index);
    System.arraycopy(others, index + 1, fewer, index, fewer.length - index);
    others = fewer;
    refused = without(refused, index + 1);
    gone = without(gone, index + 1);
    port.release();
  }

  /** Returns {@code bits} without the one at {@code index}; those above it move down. */
  private static int without(int bits, int index) {
    int below = (1 << index) - 1;
    return bits & below | bits >>> 1 & ~below;
  }

  /** Returns the address of an interface's port; of the first one's if no port is joined yet. */
  InetSocketAddress localAddress(int ni) {
    for (int i = 0; others != null && i < others.length; i++) {
      if (others[i].ni() == ni) {
        return others[i].localAddress();
      }
    }
    return first.localAddress();
  }

  /** Returns the addresses that open paths lead to. */
  List<InetSocketAddress> remotes() {
    List<InetSocketAddress> remotes = new ArrayList<>();
    for (int rest = connection.openPaths(); rest != 0; rest &= rest - 1) {
      remotes.add(connection.remote(Integer.numberOfTrailingZeros(rest)));
    }
    return remotes;
  }

  /** Returns the addresses of ours that the ports have, without wildcards. */
  List<InetAddress> locals() {
    List<InetAddress> locals = new ArrayList<>();
    for (int i = -1; i < count(); i++) {
      InetAddress local = (i < 0 ? first : others[i]).localAddress().getAddress();
      if (!local.isAnyLocalAddress()) {
        locals.add(local);
      }
    }
    return locals;
  }

  boolean uses(RtPort port) {
    return indexOf(port) >= 0;
  }

  /** Returns the place of a port, from 0; −1: it is none of these. */
  private int indexOf(RtPort port) {
    if (port == first) {
      return 0;
    }
    for (int i = 0; others != null && i < others.length; i++) {
      if (others[i] == port) {
        return i + 1;
      }
    }
    return -1;
  }

  private int all() {
    return others == null ? 1 : (1 << others.length + 1) - 1;
  }

  /**
   * Notes that nobody listens where {@code port} sends to, as the peer's host says. Returns whether
   * that is so for all ports.
   */
  boolean onRefused(RtPort port) {
    refused |= 1 << indexOf(port);
    return refused == all();
  }

  /**
   * Notes that the socket of {@code port} is being closed. Returns whether it is the last one: its
   * last packets still leave.
   */
  boolean onGone(RtPort port) {
    int before = gone;
    int now = before | 1 << indexOf(port);
    if (now == all()) {
      return true;
    }
    gone = now;
    return false;
  }

  private boolean isGone(RtPort port) {
    return gone != 0 && (gone >>> indexOf(port) & 1) != 0;
  }

  /**
   * Returns the index of an open path over {@code port} to an address; −1: none.
   *
   * @param to null: any address
   */
  int pathOf(RtPort port, InetSocketAddress to) {
    for (int rest = connection.openPaths(); rest != 0; rest &= rest - 1) {
      int i = Integer.numberOfTrailingZeros(rest);
      if (connection.ni(i) == port.ni() && (to == null || to.equals(connection.remote(i)))) {
        return i;
      }
    }
    return -1;
  }

  /**
   * Sends the packets of a burst that are not dropped, each by the port of its path. Nothing leaves
   * by a port whose socket is gone.
   */
  void send(PacketBurst burst) {
    if (connection.openPaths() > 1 && changes() != seenChanges) {
      seenChanges = changes();
      Nodes.INTERFACES.look();
    }
    int common = burst.pathIndex(0);
    for (int i = 1; i < burst.count(); i++) {
      if (burst.pathIndex(i) != common) {
        sendByPath(burst);
        return;
      }
    }
    RtPort port = ofPath(common);
    if (port != null && !isGone(port)) {
      port.send(burst, connection.remote(common));
    }
  }

  /** Returns a count that grows with each path that was opened or became suspect. */
  private int changes() {
    return (int)
        (connection.counters().value(CounterId.PATHS_OPENED)
            + connection.counters().value(CounterId.PATHS_SUSPECTED));
  }

  /** Sends a burst of several paths, which has unnumbered packets only, path by path. */
  private void sendByPath(PacketBurst burst) {
    part = part == null ? new PacketBurst() : part;
    for (int i = 0; i < burst.count(); i++) {
      int path = burst.pathIndex(i);
      part.clear();
      for (int j = i; j < burst.count(); j++) {
        if (burst.pathIndex(j) == path && !burst.isDropped(j)) {
          part.add(burst.buffer(j), burst.offset(j), burst.length(j), path, burst.token(j));
          burst.drop(j);
        }
      }
      RtPort port = ofPath(path);
      if (part.count() > 0 && port != null && !isGone(port)) {
        port.send(part, connection.remote(path));
      }
    }
    part.clear();
  }

  /** Returns one bit for each open path whose port has room. */
  int room() {
    int open = connection.openPaths();
    if (others == null) {
      return first.hasRoom() ? open : 0;
    }
    int room = 0;
    for (int rest = open; rest != 0; rest &= rest - 1) {
      int i = Integer.numberOfTrailingZeros(rest);
      RtPort port = ofPath(i);
      if (port != null && port.hasRoom() && !isGone(port)) {
        room |= 1 << i;
      }
    }
    return room;
  }

  /** Returns whether a port may have packets that the last read left behind. */
  boolean mayHaveUnread(LoopDriver driver) {
    boolean mayHave = driver.mayHaveUnread(first);
    for (int i = 0; others != null && i < others.length; i++) {
      mayHave |= driver.mayHaveUnread(others[i]);
    }
    return mayHave;
  }

  /** Returns the system calls of all ports' sockets so far. */
  long socketCalls() {
    long calls = first.socketCalls();
    for (int i = 0; others != null && i < others.length; i++) {
      calls += others[i].socketCalls();
    }
    return calls;
  }

  /** Gives all ports back. */
  void release() {
    first.release();
    for (int i = 0; others != null && i < others.length; i++) {
      others[i].release();
    }
  }
}
