package io.rtransport.netty.port;

import java.net.InetSocketAddress;
import java.util.Map;

/**
 * Opens ports that many clients share. Clients of one event loop with the same address and the same
 * settings share a port. The port is connected to no peer, so packets find their connections by id,
 * as at a server. It closes with the last of its users.
 */
public final class SharedPorts implements PortFactory {
  private final PortFactory factory;

  /**
   * Key of a shared port: clients of an event loop share it if factory, settings and address are
   * equal. A null address stands for any.
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
