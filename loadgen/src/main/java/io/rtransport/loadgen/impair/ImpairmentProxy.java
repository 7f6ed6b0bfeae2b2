package io.rtransport.loadgen.impair;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
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
  private volatile boolean isDark;
  private volatile LongPredicate outboundCut = nth -> false;

  /** One client: its path to the target and back. */
  private final class Flow {
    final ChannelOutput back;
    final ProxyDirection out;
    final ProxyDirection in;

    Flow(InetSocketAddress client) {
      long outSeed = seeds.nextLong();
      long inSeed = seeds.nextLong();
      in =
          new ProxyDirection(
              new LinkModel(impairment, inSeed),
              line,
              new ChannelOutput(front, datagram -> new DatagramPacket(datagram, client)),
              nth -> isDark);
      back = new ChannelOutput(backFrom(null), datagram -> datagram);
      out =
          new ProxyDirection(
              new LinkModel(impairment, outSeed),
              line,
              back,
              nth -> isDark || outboundCut.test(nth));
    }

    private Channel backFrom(InetAddress local) {
      Channel channel = open(new BackHandler(in));
      if (local != null) {
        channel.bind(new InetSocketAddress(local, 0));
      }
      channel.connect(target);
      return channel;
    }

    void rebind(InetAddress local) {
      back.channel.close();
      back.channel = backFrom(local);
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
    return (InetSocketAddress) front.localAddress();
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
    isDark = on;
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
    long[] sums = new long[6];
    for (Flow flow : flows.values()) {
      for (ProxyDirection direction : new ProxyDirection[] {flow.out, flow.in}) {
        LinkModel.Counts counts = direction.counts();
        sums[0] += counts.arrived() + direction.cutOff();
        sums[1] += counts.lost() + direction.cutOff();
        sums[2] += counts.queueDropped();
        sums[3] += counts.duplicated();
        sums[4] += counts.corrupted();
        sums[5] += counts.reordered();
      }
    }
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("datagrams", sums[0]);
    map.put("dropped", sums[1]);
    map.put("queueDropped", sums[2] + line.overflowed());
    map.put("duplicated", sums[3]);
    map.put("corrupted", sums[4]);
    map.put("reordered", sums[5]);
    return map;
  }

  /** Closes all sockets. */
  public void close() {
    loop.execute(
        () -> {
          front.close();
          flows.values().forEach(flow -> flow.back.channel.close());
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

  /** Writes to a channel. */
  private static final class ChannelOutput implements ProxyOutput {
    interface Wrap {
      Object wrap(ByteBuf datagram);
    }

    private Channel channel;
    private final Wrap wrap;
    private boolean pending;

    ChannelOutput(Channel channel, Wrap wrap) {
      this.channel = channel;
      this.wrap = wrap;
    }

    @Override
    public void write(ByteBuf datagram) {
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
