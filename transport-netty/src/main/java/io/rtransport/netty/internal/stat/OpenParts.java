package io.rtransport.netty.internal.stat;

import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What of one kind is open in this process, and how to read its state. Any thread.
 *
 * @param <T> its report
 */
public final class OpenParts<T> {
  /** Nodes that forward. */
  public static final OpenParts<RouterReport> ROUTERS = new OpenParts<>(RouterReport::name);

  /** All nodes. */
  public static final OpenParts<NodeReport> NODES = new OpenParts<>(NodeReport::name);

  private final Set<Supplier<T>> open = ConcurrentHashMap.newKeySet();
  private final Function<T, String> nameOf;

  private OpenParts(Function<T, String> nameOf) {
    this.nameOf = nameOf;
  }

  /** Adds one, until {@link #remove}. */
  public void add(Supplier<T> part) {
    open.add(part);
  }

  public void remove(Supplier<T> part) {
    open.remove(part);
  }

  /** Reads all of them, in the order of their names. */
  List<T> reports() {
    return open.stream().map(Supplier::get).sorted(Comparator.comparing(nameOf)).toList();
  }
}
