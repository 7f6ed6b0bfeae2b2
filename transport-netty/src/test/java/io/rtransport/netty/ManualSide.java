package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.rtransport.core.burst.PacketBurst;
import io.rtransport.netty.internal.loop.LinkApplications;
import io.rtransport.netty.port.MemoryPort;
import io.rtransport.netty.port.PortFactory;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.IntFunction;

/** One side of a pair whose packets a test carries: a node, and what it has sent. */
final class ManualSide implements MemoryPort.Wire {
  final ManualNode node;
  final Queue<ByteBuffer> sent = new ArrayDeque<>();

  /** Where each packet went, those that were carried since too. */
  final List<InetSocketAddress> destinations = new ArrayList<>();

  final InetSocketAddress to;
  final PortFactory ports;
  MemoryPort port;
  long nowNs;

  /** Takes the entries of connections that this side accepts; null for their channels. */
  LinkApplications applications;

  /** Runs within each send of a packet. */
  Runnable atSend = () -> {};

  ManualSide(int index, InetSocketAddress at, InetSocketAddress to) {
    this(new ManualNode(index, index), at, to);
  }

  ManualSide(ManualNode node, InetSocketAddress at, InetSocketAddress to) {
    this.node = node;
    this.to = to;
    ports =
        (context, config, local, remote) -> {
          port = new MemoryPort(context, this, at, to);
          return port;
        };
  }

  /** Listens at {@code server} and connects {@code client} to it. */
  static Channel connect(
      ManualSide client, ManualSide server, ChannelHandler atServer, ChannelHandler atClient) {
    Channel channel = tryConnect(client, server, atServer, atClient);
    assertThat(channel.isActive()).isTrue();
    return channel;
  }

  /** As {@link #connect}; the connection may have ended already. */
  static Channel tryConnect(
      ManualSide client, ManualSide server, ChannelHandler atServer, ChannelHandler atClient) {
    new ServerBootstrap()
        .group(server.node.loop())
        .channelFactory(RtChannels.server(server.ports))
        .option(LinkApplications.OPTION, server.applications)
        .childHandler(atServer)
        .bind(client.to);
    server.run();
    Channel channel =
        new Bootstrap()
            .group(client.node.loop())
            .channelFactory(RtChannels.client(client.ports))
            .handler(atClient)
            .connect(client.to)
            .channel();
    exchange(client, server);
    return channel;
  }

  /** Carries packets between two until both are silent. */
  static void exchange(ManualSide client, ManualSide server) {
    do {
      client.run();
      server.take(client.sent, () -> {});
      client.take(server.sent, () -> {});
    } while (!client.sent.isEmpty() || !server.sent.isEmpty());
  }

  void run() {
    node.run(nowNs);
  }

  /** Takes that long within a call of the loop. */
  void spend(long ns) {
    nowNs += ns;
    node.spend(ns);
  }

  /** Delivers all packets as one read of the other side's. */
  void take(Queue<ByteBuffer> packets, Runnable beforeItsEnd) {
    take(packets, i -> to, beforeItsEnd);
  }

  /** As {@link #take}, of senders of the test's choice. */
  void take(
      Queue<ByteBuffer> packets, IntFunction<InetSocketAddress> senders, Runnable beforeItsEnd) {
    PacketBurst burst = new PacketBurst();
    packets.forEach(p -> burst.add(p, 0, p.remaining(), 0, PacketBurst.TRANSIENT));
    packets.clear();
    port.receive(burst, senders, beforeItsEnd);
    run();
  }

  @Override
  public void send(ByteBuffer buffer, int offset, int length, InetSocketAddress destination) {
    sent.add(ByteBuffer.allocate(length).put(0, buffer, offset, length));
    destinations.add(destination);
    atSend.run();
  }

  @Override
  public boolean hasRoom() {
    return true;
  }
}
