package io.rtransport.loadgen.impair;

import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One rail: fronts that share a fate. A rail has one front for each port of the server that its
 * clients need, mostly one. All its fronts are on one event loop.
 */
public final class RailProxy {
  /** What is the same for all rails of a process. */
  public record Sockets(EventLoop loop, boolean epoll, int mtuBytes) {}

  private final int rail;
  private final Sockets sockets;
  private final Impairment impairment;
  private final List<ImpairmentProxy> fronts = new ArrayList<>();

  /** Creates a rail without fronts. */
  public RailProxy(int rail, Sockets sockets, Impairment impairment) {
    this.rail = rail;
    this.sockets = sockets;
    this.impairment = impairment;
  }

  /**
   * Opens a front that leads to {@code target}, and waits until it is bound.
   *
   * @return its address
   */
  public InetSocketAddress open(InetSocketAddress at, InetSocketAddress target, long seed)
      throws Exception {
    ImpairmentProxy front =
        new ImpairmentProxy(
            sockets.loop, sockets.epoll, sockets.mtuBytes, target, impairment, seed);
    fronts.add(front);
    return front.start(at);
  }

  /** Kills or restores the rail, on the loop. */
  void become(RailState state) {
    fronts.forEach(front -> front.become(state));
  }

  /**
   * Returns the fates of all datagrams by name, both directions together. Waits for the loop: not
   * to be called on it.
   */
  public Map<String, Object> impairmentCounts() throws Exception {
    Map<String, Object> sums = new LinkedHashMap<>();
    for (ImpairmentProxy front : fronts) {
      front.counts().forEach((key, n) -> sums.merge(key, n, (a, b) -> (Long) a + (Long) b));
    }
    return sums;
  }

  /**
   * Returns the counts of the rail by direction, as the report has them. Waits for the loop: not to
   * be called on it.
   */
  public Map<String, Object> counts() throws Exception {
    return sockets.loop.submit(this::countsNow).get();
  }

  private Map<String, Object> countsNow() {
    DirectionCounts out = DirectionCounts.NONE;
    DirectionCounts back = DirectionCounts.NONE;
    long forwardedWhileDark = 0;
    for (ImpairmentProxy front : fronts) {
      out = out.plus(front.out());
      back = back.plus(front.back());
      forwardedWhileDark += front.forwardedWhileDark();
    }
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("rail", rail);
    map.put("out", out.json());
    map.put("back", back.json());
    map.put("forwardedWhileDark", forwardedWhileDark);
    return map;
  }

  /** Returns the datagrams that have come in, both ways. Called on the loop. */
  long receivedNow() {
    return fronts.stream()
        .mapToLong(front -> front.out().received() + front.back().received())
        .sum();
  }

  /** Closes all sockets. */
  public void close() {
    fronts.forEach(ImpairmentProxy::close);
  }
}
