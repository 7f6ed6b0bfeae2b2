package io.rtransport.netty.node;

import io.netty.channel.EventLoop;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.rtransport.core.rail.DownNi;
import io.rtransport.core.rail.RailHealth;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Tells the application of a node which of the interfaces that it uses are down, and which are up
 * again.
 *
 * <p>The health of the process wakes it after a change, on whatever thread made it. It looks on an
 * event loop of the node, once for all changes until then, and tells what differs from what it told
 * last. So an interface that is down and up again between two turns of the loop is not told at all,
 * and one that flaps is told at most once a turn. While nothing changes it does nothing.
 *
 * <p>What was told to be down is told to be up once it is, even if the node does not use it any
 * more. Any thread.
 */
final class InterfaceNews {
  private static final InternalLogger LOGGER =
      InternalLoggerFactory.getInstance(InterfaceNews.class);

  private final RailHealth health;
  private final EventLoop loop;
  private final Function<DownNi, NodeInterface> used;
  private final NodeTarget target;
  private final Runnable waker = this::wake;
  private final AtomicBoolean isAwake = new AtomicBoolean();
  private volatile boolean usesOthers;
  private volatile boolean isClosed;

  /** What was told to be down, and not yet to be up. Confined to {@code loop}. */
  private final Map<DownNi, NodeInterface> told = new LinkedHashMap<>();

  /** What is down and was not used when it was looked at. Confined to {@code loop}. */
  private final Set<DownNi> unused = new HashSet<>();

  /**
   * @param loop where it looks, and calls {@code target}
   * @param used returns an interface as it is told; null for one that is not told
   */
  InterfaceNews(
      RailHealth health, EventLoop loop, Function<DownNi, NodeInterface> used, NodeTarget target) {
    this.health = health;
    this.loop = loop;
    this.used = used;
    this.target = target;
  }

  /** Begins to tell, with what is down already. */
  void open() {
    health.watchDowns(waker);
    wake();
  }

  /** Notes that the node may use interfaces that it did not use before. */
  void onOthersUsed() {
    usesOthers = true;
    wake();
  }

  private void wake() {
    if (!isClosed && isAwake.compareAndSet(false, true)) {
      try {
        loop.execute(this::look);
      } catch (RejectedExecutionException e) {
        // the loop has ended, and so has the node
      }
    }
  }

  private void look() {
    isAwake.set(false); // before it reads: a later change wakes it again
    if (isClosed) {
      return;
    }
    if (usesOthers) {
      usesOthers = false;
      unused.clear();
    }
    Set<DownNi> downs = new LinkedHashSet<>(health.downs());
    List<NodeInterface> ups = new ArrayList<>();
    told.entrySet().removeIf(each -> !downs.contains(each.getKey()) && ups.add(each.getValue()));
    ups.forEach(ni -> tell(target::onInterfaceUp, ni));
    unused.retainAll(downs);
    downs.removeAll(told.keySet());
    downs.removeAll(unused);
    downs.forEach(this::tellIfUsed);
  }

  private void tellIfUsed(DownNi down) {
    NodeInterface ni = used.apply(down);
    if (ni == null) {
      unused.add(down);
    } else {
      told.put(down, ni);
      tell(target::onInterfaceDown, ni);
    }
  }

  private void tell(Consumer<NodeInterface> callback, NodeInterface ni) {
    if (isClosed) {
      return;
    }
    try {
      callback.accept(ni);
    } catch (RuntimeException | Error e) {
      LOGGER.warn("a callback threw over interface {}", ni, e);
    }
  }

  /** Tells nothing any more. */
  void close() {
    isClosed = true;
    health.unwatchDowns(waker);
  }
}
