package io.rtransport.netty.internal.loop;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.rtransport.core.adp.NodeRegister;
import io.rtransport.core.connection.LoopResources;
import io.rtransport.core.connection.NodeIdentity;
import io.rtransport.core.rail.RailHealth;
import io.rtransport.core.solicitation.NodeBudgets;
import io.rtransport.netty.flight.RailFlight;
import java.security.SecureRandom;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * State that the event loops of this process share, or the loops of one group. To a peer the loops
 * of a group are one node, because a server may be behind one address on all of them. If each were
 * its own incarnation, a peer would take its second connection for a restart, and end the first.
 * Any thread.
 */
public final class Nodes {
  /** Budgets of all event loops. */
  public static final NodeBudgets BUDGETS = NodeBudgets.defaults();

  /** Health of the interfaces that connections of several networks use. */
  public static final RailHealth RAIL_HEALTH = new RailHealth(new SecureRandom());

  /** Events of the interfaces. */
  public static final RailFlight RAIL_FLIGHT = new RailFlight(RAIL_HEALTH);

  /** Which of our interfaces are up. */
  public static final InterfaceWatch INTERFACES =
      new InterfaceWatch(
          RAIL_HEALTH, RAIL_FLIGHT, GlobalEventExecutor.INSTANCE, InterfaceWatch::isUp);

  private static final Map<EventLoopGroup, NodeIdentity> IDENTITIES = new ConcurrentHashMap<>();
  private static final Map<EventLoopGroup, NodeRegister> REGISTERS = new ConcurrentHashMap<>();

  private static volatile int storeBytes = LoopResources.STORE_BYTES_DEFAULT;

  private Nodes() {}

  /**
   * Returns the size of the retransmission store of an event loop that gets its first RT channel,
   * bytes.
   */
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

  /** Returns the register of the node that {@code loop} belongs to. */
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

  /**
   * Forgets {@code loop}, which drives no channels any more. A loop without a group was a node by
   * itself.
   */
  public static void forget(EventLoop loop) {
    if (loop.parent() == null) {
      REGISTERS.remove(loop);
    }
  }
}
