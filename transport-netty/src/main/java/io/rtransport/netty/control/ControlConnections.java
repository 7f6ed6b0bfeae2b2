package io.rtransport.netty.control;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.rtransport.core.adp.NodeRegister;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Which connections of a control socket are kept. At the limit a new one takes the place of the
 * oldest that has not sent its request, so clients that say nothing lock out nobody. While all have
 * sent theirs, the new one is closed. Confined to the control socket's thread.
 */
final class ControlConnections extends ChannelInitializer<Channel> {
  /** Limit of the connections at a time. */
  static final int COUNT_MAX = 8;

  private final NodeRegister register;
  private final NodeAnswers answers;
  private final long limitMillis;
  private final Map<Channel, ControlRequests> open = new LinkedHashMap<>();

  ControlConnections(NodeRegister register, NodeAnswers answers, long limitMillis) {
    this.register = register;
    this.answers = answers;
    this.limitMillis = limitMillis;
  }

  @Override
  protected void initChannel(Channel channel) {
    if (open.size() == COUNT_MAX && !closeOldestSilent()) {
      channel.close();
      return;
    }
    ControlRequests requests = new ControlRequests(register, answers, limitMillis);
    open.put(channel, requests);
    channel.closeFuture().addListener(closed -> open.remove(channel));
    channel.pipeline().addLast(requests);
  }

  private boolean closeOldestSilent() {
    Iterator<Map.Entry<Channel, ControlRequests>> oldestFirst = open.entrySet().iterator();
    while (oldestFirst.hasNext()) {
      Map.Entry<Channel, ControlRequests> each = oldestFirst.next();
      if (!each.getValue().isAnswered()) {
        oldestFirst.remove();
        each.getKey().close();
        return true;
      }
    }
    return false;
  }
}
