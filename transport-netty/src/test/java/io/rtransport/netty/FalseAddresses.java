package io.rtransport.netty;

import static io.rtransport.netty.ChannelInternals.inside;

import io.rtransport.core.connection.Connection;
import io.rtransport.core.rail.Nid;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Lets a server tell addresses that are not its own. */
public final class FalseAddresses {
  private FalseAddresses() {}

  /**
   * Tells the peer of an accepted channel that this side has these addresses, too: as many as wait
   * at a time. Returns how many were told.
   */
  public static int tell(RtChannel accepted, List<InetSocketAddress> addresses) throws Exception {
    return accepted
        .eventLoop()
        .submit(
            () -> {
              Connection liar = inside(accepted).link().connection();
              long nowNs = accepted.eventLoop().ticker().nanoTime();
              int count = 0;
              while (count < addresses.size()
                  && liar.tellNi(true, new Nid(addresses.get(count), ""), nowNs)) {
                count++;
              }
              inside(accepted).link().pumpDue();
              return count;
            })
        .get(20, TimeUnit.SECONDS);
  }
}
