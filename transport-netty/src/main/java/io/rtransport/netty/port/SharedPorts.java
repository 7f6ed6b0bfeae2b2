package io.rtransport.netty.port;

import java.net.InetSocketAddress;
import java.util.Map;

/**
 * Ports that many clients share: those of one event loop that are bound alike and set alike. A port
 * is bound to no peer, so packets find their connections by id, as a server's do; it closes with
 * the last of its users.
 */
public final class SharedPorts implements PortFactory {
  private final PortFactory factory;

  /**
   * What makes two clients of an event loop share: the same factory, settings and address, null for
   * any.
   */
  private record Key(SharedPorts factory, PortConfig config, InetSocketAddress local) {}

  public SharedPorts(PortFactory factory) {
    this.factory = factory;
  }

  @Override
  public RtPort open(
      PortContext context, PortConfig config, InetSocketAddress local, InetSocketAddress remote)
      throws Exception {
    Map<Object, RtPort> ports = context.sharedPorts();
    Key key = new Key(this, config, local);
    RtPort known = ports.get(key);
    if (known != null && !known.isClosed()) {
      known.retain();
      return known;
    }
    RtPort opened = factory.open(context, config, local, null);
    ports.put(key, opened);
    return opened;
  }

  @Override
  public boolean isShared() {
    return true;
  }
}
