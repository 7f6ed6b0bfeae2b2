package io.rtransport.netty.internal.loop;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.rtransport.core.connection.Connection;

/** Makes the applications of connections whose entries do not go to their channels' queues. */
@FunctionalInterface
public interface LinkApplications {
  /**
   * Option of client channels, and of server channels for those that they accept. Set before the
   * connect or the bind.
   */
  ChannelOption<LinkApplications> OPTION =
      ChannelOption.valueOf(LinkApplications.class, "LINK_APPLICATIONS");

  /**
   * Returns the application of a connection that begins. On the connection's event loop, before the
   * first entry.
   */
  LinkApplication of(Channel channel, Connection connection);
}
