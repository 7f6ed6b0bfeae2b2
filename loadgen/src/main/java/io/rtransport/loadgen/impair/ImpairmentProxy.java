package io.rtransport.loadgen.impair;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.EventLoop;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.socket.nio.NioDatagramChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.LongPredicate;

/**
 * UDP proxy that imitates a bad network. A client sends to its front. A socket of that client
 * towards the target forwards its datagrams, and those back likewise. No socket uses GRO, so the
 * kernel splits a GSO send and every datagram has its own fate. No socket uses GSO, so datagrams
 * are not joined. Everything runs on one event loop.
 */
public final class ImpairmentProxy {
  private static final int DATAGRAM_BYTES_MAX = 65_507;
  private static final int SOCKET_BUFFER_BYTES = 4 << 20;
  private static final int READ_BYTES = 128 << 10;
  private static final int READ_DATAGRAMS_MAX = 128;

  private final EventLoop loop;
  private final boolean epoll;
  private final int datagramBytesMax;
  private final InetSocketAddress target;
  private final Impairment impairment;
  private final SplittableRandom seeds;
  private final DelayLine line;
  private final Map<InetSocketAddress, Flow> flows = new HashMap<>();
  private Channel front;
  private InetSocketAddress frontAddress;
  private volatile RailState state = RailState.LIVE;
  private long forwardedWhileDark;
  private volatile LongPredicate outboundCut = nth -> false;

  /** One client: its path to the target and back. */
  private final class Flow {
    final ChannelOutput toClient;
    final ChannelOutput toTarget;
    final ProxyDirection out;
    final ProxyDirection in;
    private InetSocketAddress targetSide;

    Flow(InetSocketAddress client) {
      long outSeed = seeds.nextLong();
      long inSeed = seeds.nextLong();
      toClient =
          new ChannelOutput(
              front, datagram -> new DatagramPacket(datagram, client), () -> state.isBackDark());
      in =
          new ProxyDirection(
              new LinkModel(impairment, inSeed),
              line,
              toClient,
              () -> state.isBackDark(),
              nth -> false);
      toTarget =
          new ChannelOutput(towardsTarget(null), datagram -> datagram, () -> state.isOutDark());
      out =
          new ProxyDirection(
              new LinkModel(impairment, outSeed),
              line,
              toTarget,
              () -> state.isOutDark(),
              nth -> outboundCut.test(nth));
    }

    private Channel towardsTarget(InetSocketAddress local) {
      Channel channel = open(new BackHandler(in));
      if (local != null) {
        channel.bind(local);
      }
      channel.connect(target);
      return channel;
    }

    void rebind(InetAddress local) {
      toTarget.channel.close();
      toTarget.channel = towardsTarget(local == null ? null : new InetSocketAddress(local, 0));
    }

    void close() {
      targetSide = (InetSocketAddress) toTarget.channel.localAddress();
      toTarget.channel.close();
    }

    /** Opens the socket towards the target again, at the port that it had. */
    void reopen() {
      toClient.channel = front;
      toTarget.channel = towardsTarget(targetSide);
    }
  }

  /**
   * Creates the proxy.
   *
   * @param epoll whether the loop is one of epoll
   * @param mtuBytes the longest datagram that the transports send, or 0: any
   */
  public ImpairmentProxy(
      EventLoop loop,
      boolean epoll,
      int mtuBytes,
      InetSocketAddress target,
      Impairment impairment,
      long seed) {
    this.loop = loop;
    this.epoll = epoll;
    this.datagramBytesMax = mtuBytes == 0 ? DATAGRAM_BYTES_MAX : mtuBytes;
    this.target = target;
    this.impairment = impairment;
    this.seeds = new SplittableRandom(seed);
    this.line = new DelayLine(loop);
  }

  /** Opens the front, and waits until it is bound. */
  public InetSocketAddress start(InetSocketAddress at) throws Exception {
    front = open(new FrontHandler());
    front.bind(at).sync();
    frontAddress = (InetSocketAddress) front.localAddress();
    return frontAddress;
  }

  private Channel open(ChannelHandler handler) {
    Bootstrap bootstrap =
        new Bootstrap()
            .group(loop)
            .channel(epoll ? EpollDatagramChannel.class : NioDatagramChannel.class)
            .option(ChannelOption.SO_SNDBUF, SOCKET_BUFFER_BYTES)
            .option(ChannelOption.SO_RCVBUF, SOCKET_BUFFER_BYTES)
            .handler(handler);
    FixedRecvByteBufAllocator allocator =
        new FixedRecvByteBufAllocator(epoll ? READ_BYTES : DATAGRAM_BYTES_MAX);
    allocator.maxMessagesPerRead(READ_DATAGRAMS_MAX);
    bootstrap.option(ChannelOption.RECVBUF_ALLOCATOR, allocator);
    if (epoll) {
      bootstrap.option(EpollChannelOption.MAX_DATAGRAM_PAYLOAD_SIZE, datagramBytesMax);
    }
    return bootstrap.register().channel();
  }

  private Flow flow(InetSocketAddress client) {
    return flows.computeIfAbsent(client, Flow::new);
  }

  /** Blocks both directions from now on, or returns to the impairment alone. Any thread. */
  public void dark(boolean on) {
    state = on ? RailState.DARK : RailState.LIVE;
  }

  /**
   * Changes the state, on the loop. A datagram that waits for its time is dropped if the state is
   * dark when the time comes. From CLOSED to another state the front opens again at its port, and
   * so does each socket towards the target.
   *
   * @throws IllegalStateException if the port of the front cannot be bound again
   */
  void become(RailState next) {
    RailState before = state;
    state = next;
    if (next == RailState.CLOSED && before != next) {
      front.close();
      flows.values().forEach(Flow::close);
    } else if (next != RailState.CLOSED && before == RailState.CLOSED) {
      front = open(new FrontHandler());
      ChannelFuture bound = front.bind(frontAddress);
      if (!bound.isSuccess()) {
        throw new IllegalStateException("cannot bind " + frontAddress + " again", bound.cause());
      }
      flows.values().forEach(Flow::reopen);
    }
    forwardedWhileDark += unsentWhileDark();
  }

  /** Returns the datagrams that a full socket has not taken yet, and will send in the dark. */
  private long unsentWhileDark() {
    long unsent = state.isBackDark() ? unsent(front) : 0;
    for (Flow flow : flows.values()) {
      unsent += state.isOutDark() ? unsent(flow.toTarget.channel) : 0;
    }
    return unsent;
  }

  private static int unsent(Channel channel) {
    ChannelOutboundBuffer waiting = channel.unsafe().outboundBuffer();
    return waiting == null ? 0 : waiting.size();
  }

  /**
   * Loses the nth datagram (from 0) of each client to the target if {@code nth} says so, in
   * addition to random losses. Any thread.
   */
  public void loseOutbound(LongPredicate nth) {
    outboundCut = nth;
  }

  /**
   * Gives every client another port towards the target, like an address translator that has
   * forgotten it. Datagrams in flight to the old port are lost. Returns when it is done: not to be
   * called on the loop.
   *
   * @param from another address too, or null for the system's choice
   */
  public void rebind(InetAddress from) throws Exception {
    loop.submit(() -> flows.values().forEach(flow -> flow.rebind(from))).get();
  }

  /**
   * Returns what was done to datagrams, both directions together. Waits for the loop: not to be
   * called on it.
   */
  public Map<String, Object> counts() throws Exception {
    return loop.submit(this::sum).get();
  }

  private Map<String, Object> sum() {
    DirectionCounts both = DirectionCounts.NONE;
    long corrupted = 0;
    long reordered = 0;
    for (Flow flow : flows.values()) {
      for (ProxyDirection direction : new ProxyDirection[] {flow.out, flow.in}) {
        both = both.plus(direction.counts());
        corrupted += direction.link().corrupted();
        reordered += direction.link().reordered();
      }
    }
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("datagrams", both.received());
    map.put("dropped", both.droppedImpairment() + both.droppedDark());
    map.put("queueDropped", both.droppedQueue());
    map.put("duplicated", both.duplicated());
    map.put("corrupted", corrupted);
    map.put("reordered", reordered);
    return map;
  }

  /** Returns what was done with datagrams from clients to the target, on the loop. */
  DirectionCounts out() {
    return flows.values().stream()
        .map(flow -> flow.out.counts())
        .reduce(DirectionCounts.NONE, DirectionCounts::plus);
  }

  /** Returns what was done with datagrams from the target to clients, on the loop. */
  DirectionCounts back() {
    return flows.values().stream()
        .map(flow -> flow.in.counts())
        .reduce(DirectionCounts.NONE, DirectionCounts::plus);
  }

  /**
   * Returns the datagrams that were given to a socket while their direction was dark, on the loop.
   * They are counted at the sockets, apart from the decision to drop. So a wrong decision shows.
   */
  long forwardedWhileDark() {
    return forwardedWhileDark;
  }

  /** Closes all sockets. Datagrams that wait for their time are dropped. */
  public void close() {
    loop.execute(
        () -> {
          line.clear();
          front.close();
          flows.values().forEach(flow -> flow.toTarget.channel.close());
        });
  }

  /** Receives the datagrams of all clients. */
  private final class FrontHandler extends ChannelInboundHandlerAdapter {
    private Flow last;
    private InetSocketAddress lastClient;

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      DatagramPacket packet = (DatagramPacket) message;
      try {
        if (!packet.sender().equals(lastClient)) {
          if (last != null) {
            last.out.flush();
          }
          lastClient = packet.sender();
          last = flow(lastClient);
        }
        last.out.onDatagram(packet.content(), System.nanoTime());
      } finally {
        packet.release();
      }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
      if (last != null) {
        last.out.flush();
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      // The client has gone: its datagrams are lost, as on any network.
    }
  }

  /** Receives the target's datagrams to one client. */
  private static final class BackHandler extends ChannelInboundHandlerAdapter {
    private final ProxyDirection in;

    BackHandler(ProxyDirection in) {
      this.in = in;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      DatagramPacket packet = (DatagramPacket) message;
      try {
        in.onDatagram(packet.content(), System.nanoTime());
      } finally {
        packet.release();
      }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
      in.flush();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      // The target has gone: the datagram is lost, as on any network.
    }
  }

  /** Makes a message for a channel. */
  private interface Wrap {
    Object wrap(ByteBuf datagram);
  }

  /** Writes to a channel. */
  private final class ChannelOutput implements ProxyOutput {
    private Channel channel;
    private final Wrap wrap;
    private final BooleanSupplier isDark;
    private boolean pending;

    ChannelOutput(Channel channel, Wrap wrap, BooleanSupplier isDark) {
      this.channel = channel;
      this.wrap = wrap;
      this.isDark = isDark;
    }

    @Override
    public void write(ByteBuf datagram) {
      if (isDark.getAsBoolean()) {
        forwardedWhileDark++;
      }
      pending = true;
      channel.write(wrap.wrap(datagram), channel.voidPromise());
    }

    @Override
    public void flush() {
      if (pending) {
        pending = false;
        channel.flush();
      }
    }
  }
}
