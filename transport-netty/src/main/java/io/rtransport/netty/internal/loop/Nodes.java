package io.rtransport.netty.internal.loop;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.rtransport.core.adp.NodeRegister;
import io.rtransport.core.connection.LoopResources;
import io.rtransport.core.connection.NodeIdentity;
import io.rtransport.core.solicitation.NodeBudgets;
import java.security.SecureRandom;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the event loops of this process share, or those of a group. The loops of a group are one
 * node to a peer, for a server may be behind one address on all of them: were each an incarnation
 * of its own, a peer would take its second connection for a restart, and end the first. Any thread.
 */
public final class Nodes {
  /** Of all event loops. */
  public static final NodeBudgets BUDGETS = NodeBudgets.defaults();

  private static final Map<EventLoopGroup, NodeIdentity> IDENTITIES = new ConcurrentHashMap<>();
  private static final Map<EventLoopGroup, NodeRegister> REGISTERS = new ConcurrentHashMap<>();

  private static volatile int storeBytes = LoopResources.STORE_BYTES_DEFAULT;

  private Nodes() {}

  /** How large the retransmission store is of an event loop that has its first RT channel. */
  public static int storeBytes() {
    return storeBytes;
  }

  public static void storeBytes(int bytes) {
    storeBytes = bytes;
  }

  public static NodeIdentity identityOf(EventLoopGroup group, long nowNs) {
    NodeIdentity known = IDENTITIES.get(group);
    if (known != null) {
      return known;
    }
    NodeIdentity drawn = NodeIdentity.draw(new SecureRandom(), nowNs);
    NodeIdentity first = IDENTITIES.putIfAbsent(group, drawn);
    if (first != null) {
      return first;
    }
    group.terminationFuture().addListener(terminated -> IDENTITIES.remove(group));
    return drawn;
  }

  /** The register of the node that {@code loop} belongs to. */
  public static NodeRegister registerOf(EventLoop loop) {
    EventLoopGroup group = loop.parent() == null ? loop : loop.parent();
    NodeRegister known = REGISTERS.get(group);
    if (known != null) {
      return known;
    }
    NodeRegister made = new NodeRegister();
    NodeRegister first = REGISTERS.putIfAbsent(group, made);
    if (first != null) {
      return first;
    }
    group.terminationFuture().addListener(terminated -> REGISTERS.remove(group));
    return made;
  }

  /** {@code loop} drives no channels any more: one without a group was a node by itself. */
  public static void forget(EventLoop loop) {
    if (loop.parent() == null) {
      REGISTERS.remove(loop);
    }
  }
}
