package io.rtransport.netty.node;

import io.rtransport.core.stats.Limits;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Addresses at which a node listens. For one thread at a time. */
final class Listening {
  /** Most addresses that a server channel listens at. */
  static final int TOGETHER_MAX = Limits.PATHS_MAX;

  /** Addresses of one key are told together. */
  private record Key(String network, Class<?> family, int alone) {}

  /**
   * Addresses that are told together.
   *
   * @param network on which
   * @param places of the addresses, from 0 in the order given
   */
  record Group(String network, List<Integer> places) {}

  private final List<InetSocketAddress> all = new ArrayList<>();
  private final Map<Key, List<Group>> groups = new LinkedHashMap<>();

  void add(String network, InetSocketAddress local) {
    int place = all.size();
    if (Objects.requireNonNull(local, "local").getPort() != 0 && all.contains(local)) {
      throw new IllegalArgumentException("listen=" + local + ", valid: each address once");
    }
    all.add(local);
    InetAddress address = local.getAddress();
    boolean isAlone = address == null || address.isAnyLocalAddress();
    Key key =
        new Key(network, address == null ? null : address.getClass(), isAlone ? 1 + place : 0);
    List<Group> parts = groups.computeIfAbsent(key, absent -> new ArrayList<>());
    if (parts.isEmpty() || parts.get(parts.size() - 1).places.size() == TOGETHER_MAX) {
      parts.add(new Group(network, new ArrayList<>()));
    }
    parts.get(parts.size() - 1).places.add(place);
  }

  /** Returns how many addresses there are. */
  int count() {
    return all.size();
  }

  /** Returns those that are told together. */
  List<Group> groups() {
    List<Group> flat = new ArrayList<>();
    groups.values().forEach(flat::addAll);
    return flat;
  }

  /** Returns the address at a place. */
  InetSocketAddress address(int place) {
    return all.get(place);
  }
}
