package io.rtransport.netty;

import io.rtransport.core.connection.Connection;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.SendFailure;
import io.rtransport.core.rail.Nid;
import io.rtransport.netty.internal.loop.PortEvents;
import io.rtransport.netty.port.RtPort;
import java.net.InetSocketAddress;

/**
 * Decides what follows for a connection when its ports fail or close, and when its server leaves or
 * joins an address. Made with the first such event, and dropped when the link is next settled.
 * Confined to the event loop.
 */
final class LinkPortEvents implements PortEvents {
  private final Link link;
  private final Connection connection;
  private final LinkPorts ports;
  private final LinkClosing closing;
  private FailedSends failedSends; // null until there was one

  LinkPortEvents(Link link, LinkPorts ports, LinkClosing closing) {
    this.link = link;
    this.connection = link.connection();
    this.ports = ports;
    this.closing = closing;
  }

  @Override
  public void onSendFailed(RtPort port, InetSocketAddress to, SendFailure failure) {
    boolean isForAll = failure == SendFailure.NO_LISTENER && ports.onRefused(port);
    if (connection.isEstablished()) {
      int path = ports.pathOf(port, to);
      if (path >= 0) { // else it is a rail that is not open: nothing is sent there but challenges
        failedSends = failedSends == null ? new FailedSends() : failedSends;
        failedSends.add(path, failure);
        link.due();
      }
    } else if (isForAll && !connection.isEnded()) {
      closing.abort(CloseCode.UNREACHABLE, CloseCode.UNREACHABLE.sentence());
    }
  }

  /**
   * Tells the connection of the sends that have failed, outside of any transmission. Returns
   * whether there were any.
   */
  boolean tellFailedSends() {
    return failedSends != null && failedSends.tell(connection, link.nowNs());
  }

  @Override
  public void onPortClosed(RtPort port) {
    if (!ports.onGone(port)) {
      connection.onInterfaceGone(port.ni(), link.nowNs());
      link.pumpDue();
    } else if (!connection.isEnded()) {
      closing.onLastPortClosed();
    }
  }

  @Override
  public void onAddressLeft(Object owner, int ni, Nid nid) {
    if (ports.first().owner() == owner && !connection.isEnded()) {
      connection.tellNi(false, nid, link.nowNs());
      connection.onInterfaceGone(ni, link.nowNs());
      link.pumpDue();
    }
  }

  @Override
  public void onAddressJoined(Object owner, int ni, Nid nid) {
    if (ports.first().owner() == owner && !connection.isEnded()) {
      connection.onInterfaceBack(ni);
      connection.tellNi(true, nid, link.nowNs());
      link.pumpDue();
    }
  }
}
