package io.rtransport.netty.internal.server;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.rtransport.core.rail.Nid;
import io.rtransport.netty.internal.loop.LoopDriver;
import io.rtransport.netty.internal.loop.LoopDrivers;
import io.rtransport.netty.internal.loop.PortOwner;
import io.rtransport.netty.port.PortConfig;
import io.rtransport.netty.port.PortFactory;
import io.rtransport.netty.port.RtPort;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Ports of a server channel, as one {@link LoopPorts} on each of its event loops. It opens them,
 * says whose loop a connection id names, and closes them. The first port belongs to the server
 * channel's own loop and is bound alone. So an address in use is noticed, and the system can choose
 * a port. Then it lets the others join.
 *
 * <p>Confined to the server channel's event loop, except {@link #member}, which any thread may
 * call.
 */
public final class ServerPorts {
  private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(ServerPorts.class);
  private static final int LOOPS_MAX = 256;

  private final PortOwner server;
  private final PortFactory factory;
  private final List<LoopPorts> members = new ArrayList<>();
  private volatile LoopPorts[] byLoopIndex;
  private volatile boolean isSpread;
  private int opening;
  private Exception failure;
  private boolean isClosed;

  public ServerPorts(PortOwner server, PortFactory factory) {
    this.server = server;
    this.factory = factory;
  }

  /** Returns the member whose loop {@code cid} names; null if there is none, or only one member. */
  public LoopPorts member(int cid) {
    LoopPorts[] all = byLoopIndex;
    return all == null ? null : all[cid >>> 24];
  }

  /** Returns the port of the server channel's own loop; null before it is open. */
  public RtPort first() {
    return members.isEmpty() ? null : members.get(0).first();
  }

  /** Returns the addresses that the application named, as they are bound; none before. */
  public List<InetSocketAddress> localAddresses() {
    return members.isEmpty()
        ? List.of()
        : members.get(0).named().stream().map(RtPort::localAddress).toList();
  }

  /** Returns the drivers of all loops on which the channel receives. */
  public List<LoopDriver> drivers() {
    return members.stream().map(LoopPorts::driver).toList();
  }

  // ---- opening

  /** Opens the ports of the server channel's own loop, one at each address; null: any. */
  public void openFirst(List<InetSocketAddress> locals, PortConfig config) throws Exception {
    LoopPorts own = open(LoopDrivers.of(server.eventLoop()), locals, config);
    members.add(own);
    if (own.isWildcard()) {
      try {
        own.first().share();
        own.listen(list(own.first()));
        isSpread = true;
      } catch (UnsupportedOperationException e) { // RECEIVE_LOOPS reports it if it matters
        LOGGER.debug("{}: answers leave from where the system chooses", server, e);
      }
    }
  }

  private LoopPorts open(LoopDriver driver, List<InetSocketAddress> locals, PortConfig config)
      throws Exception {
    return new LoopPorts(this, server, driver, factory, config, locals);
  }

  private static Set<InetAddress> list(RtPort wildcard) {
    return HostAddresses.behind(wildcard.localAddress().getAddress());
  }

  /**
   * Lists the host's addresses again: a datagram came to an address without a known port of its
   * own. Any loop.
   */
  public void listAgain() {
    tell(
        () -> {
          if (!isClosed && opening == 0) {
            Set<InetAddress> addresses = list(first());
            onEach(member -> member.listen(addresses));
          }
        });
  }

  /** Opens a port at {@code address} on the other loops too: one loop has got one. Any loop. */
  public void joinEverywhere(InetAddress address) {
    tell(
        () -> {
          if (!isClosed) {
            onEach(member -> member.join(address));
          }
        });
  }

  /**
   * Opens ports at one more address of the application, on all loops. If one loop cannot, none has.
   *
   * @param whenDone called on the server channel's loop with the address as it is bound, or with
   *     the reason of a failure
   */
  public void join(InetSocketAddress local, BiConsumer<InetSocketAddress, Exception> whenDone) {
    LoopPorts own = members.get(0);
    int known = localAddresses().indexOf(local);
    int ni = known >= 0 ? known : own.named().size();
    boolean isSpreadOut = members.size() > 1;
    RtPort port;
    try {
      if (ni == LoopPorts.NAMED_MAX) {
        throw new BindException(
            local + ": the channel has had " + ni + " addresses, valid: one of these");
      }
      // Bound alone if no socket of ours is there, so that an address in use is noticed.
      boolean isShared = isSpreadOut && members.stream().anyMatch(member -> member.isOpen(ni));
      port = own.join(ni, local, isShared);
      if (isSpreadOut && !isShared) {
        port.share();
      }
    } catch (Exception e) {
      own.abandon(ni);
      whenDone.accept(null, e);
      return;
    }
    InetSocketAddress bound = port.localAddress();
    Joining joining = new Joining(ni, bound, members.size(), whenDone);
    for (LoopPorts member : members.subList(1, members.size())) {
      try {
        member.driver().loop().execute(() -> joining.openOn(member));
      } catch (RejectedExecutionException e) {
        joining.onOpened(e);
      }
    }
    joining.onOpened(null);
  }

  /**
   * Tells all connections of an address that has joined.
   *
   * @param ni its number
   */
  public void tell(int ni, Nid nid) {
    onEach(member -> member.tell(ni, nid));
  }

  /** One address that joins, until each loop has opened its port. */
  private final class Joining {
    private final int ni;
    private final InetSocketAddress bound;
    private final BiConsumer<InetSocketAddress, Exception> whenDone;
    private int left;
    private Exception cause;

    Joining(
        int ni,
        InetSocketAddress bound,
        int left,
        BiConsumer<InetSocketAddress, Exception> whenDone) {
      this.ni = ni;
      this.bound = bound;
      this.left = left;
      this.whenDone = whenDone;
    }

    /** On the member's loop. */
    void openOn(LoopPorts member) {
      Exception failed = null;
      try {
        member.join(ni, bound, true);
      } catch (Exception e) {
        failed = e;
      }
      Exception reported = failed;
      try {
        server.eventLoop().execute(() -> onOpened(reported));
      } catch (RejectedExecutionException e) { // the server channel has ended meanwhile
        whenDone.accept(null, new ClosedChannelException());
      }
    }

    void onOpened(Exception failed) {
      cause = cause == null ? failed : cause;
      if (--left > 0) {
        return;
      }
      if (isClosed && cause == null) {
        cause = new ClosedChannelException();
      }
      if (cause != null) {
        onEach(member -> member.abandon(ni));
      }
      whenDone.accept(cause == null ? bound : null, cause);
    }
  }

  /**
   * Gives one of the application's addresses up, on all loops.
   *
   * @param ni its number, above 0
   */
  public void leave(int ni, Nid nid) {
    onEach(member -> member.leave(ni, nid));
  }

  /** Returns the number of an address that the application named; −1: it is none. */
  public int numberOf(InetSocketAddress address) {
    return localAddresses().indexOf(address);
  }

  private void onEach(Consumer<LoopPorts> action) {
    for (LoopPorts member : members) {
      if (member.driver().loop().inEventLoop()) {
        action.accept(member);
        continue;
      }
      try {
        member.driver().loop().execute(() -> action.accept(member));
      } catch (RejectedExecutionException e) {
        // That loop has ended, and its sockets with it.
      }
    }
  }

  /**
   * Opens ports on {@code count} − 1 further loops of the server channel's group.
   *
   * @param whenDone called on the server channel's loop with the reason of a failure, or null
   */
  public void openOthers(int count, PortConfig config, Consumer<Exception> whenDone) {
    try {
      List<EventLoop> loops = otherLoops(count);
      members.get(0).named().forEach(RtPort::share);
      List<InetSocketAddress> locals = localAddresses();
      opening = loops.size();
      for (EventLoop loop : loops) {
        openOn(loop, locals, config.sharing(), whenDone);
      }
    } catch (IllegalArgumentException e) {
      whenDone.accept(e);
    } catch (UnsupportedOperationException e) {
      whenDone.accept(failureOf(count, e));
    }
  }

  private static BindException failureOf(int count, Exception cause) {
    BindException failure = new BindException("RECEIVE_LOOPS=" + count + ": " + cause.getMessage());
    failure.initCause(cause);
    return failure;
  }

  private List<EventLoop> otherLoops(int count) {
    EventLoop own = server.eventLoop();
    EventLoopGroup group = own.parent();
    List<EventLoop> others = new ArrayList<>();
    if (group != null) {
      for (EventExecutor executor : group) {
        if (executor != own && others.size() < count - 1 && executor instanceof EventLoop loop) {
          others.add(loop);
        }
      }
    }
    if (others.size() < count - 1 || count > LOOPS_MAX) {
      throw new IllegalArgumentException(
          "RECEIVE_LOOPS="
              + count
              + ", valid: 1.."
              + Math.min(LOOPS_MAX, others.size() + 1)
              + ", the event loops of the server channel's group");
    }
    return others;
  }

  private void openOn(
      EventLoop loop,
      List<InetSocketAddress> locals,
      PortConfig config,
      Consumer<Exception> whenDone) {
    try {
      loop.execute(
          () -> {
            LoopPorts opened = null;
            Exception cause = null;
            try {
              opened = open(LoopDrivers.of(loop), locals, config);
              if (isSpread) {
                opened.listen(list(opened.first()));
              }
            } catch (Exception e) {
              cause = e;
            }
            report(opened, cause, whenDone);
          });
    } catch (RejectedExecutionException e) {
      onOpened(null, e, whenDone);
    }
  }

  private void report(LoopPorts opened, Exception cause, Consumer<Exception> whenDone) {
    try {
      server.eventLoop().execute(() -> onOpened(opened, cause, whenDone));
    } catch (RejectedExecutionException e) { // the server channel has ended meanwhile
      if (opened != null) {
        opened.release();
      }
    }
  }

  private void onOpened(LoopPorts opened, Exception cause, Consumer<Exception> whenDone) {
    if (opened != null && isClosed) {
      release(opened, () -> {});
    } else if (opened != null) {
      members.add(opened);
    }
    failure = failure == null ? cause : failure;
    if (--opening > 0) {
      return;
    }
    if (failure == null) {
      failure = index();
    }
    whenDone.accept(failure == null ? null : failureOf(members.size(), failure));
  }

  /** Begins to hand packets over. Returns the reason if it cannot. */
  private Exception index() {
    LoopPorts[] all = new LoopPorts[LOOPS_MAX];
    for (LoopPorts member : members) {
      int index = member.driver().loopIndex();
      if (all[index] != null) {
        return new IllegalStateException(
            "more than " + LOOPS_MAX + " event loops of this process use RT");
      }
      all[index] = member;
    }
    byLoopIndex = all;
    return null;
  }

  // ---- closing

  /**
   * Gives the ports up. Each closes with the last of its connections, and until then packets are
   * still handed over.
   *
   * @param whenDone called on the server channel's loop when each loop has done so
   */
  public void close(Runnable whenDone) {
    if (isClosed) {
      whenDone.run();
      return;
    }
    isClosed = true;
    int[] left = {members.size()};
    Runnable oneLess =
        () -> {
          if (--left[0] == 0) {
            whenDone.run();
          }
        };
    if (members.isEmpty()) {
      whenDone.run();
    }
    for (LoopPorts member : List.copyOf(members)) {
      release(member, oneLess);
    }
  }

  private void release(LoopPorts member, Runnable whenDone) {
    EventLoop loop = member.driver().loop();
    if (loop.inEventLoop()) {
      member.release();
      whenDone.run();
      return;
    }
    try {
      loop.execute(
          () -> {
            member.release();
            tell(whenDone);
          });
    } catch (RejectedExecutionException e) {
      whenDone.run(); // the loop has ended, and its sockets with it
    }
  }

  private void tell(Runnable whenDone) {
    try {
      server.eventLoop().execute(whenDone);
    } catch (RejectedExecutionException e) {
      // Nobody is left who waits.
    }
  }
}
