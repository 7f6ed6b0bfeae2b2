package io.rtransport.netty.namespace;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.rtransport.netty.RtChannels;
import io.rtransport.netty.RtServerChannel;
import io.rtransport.netty.TransportKind;
import java.net.InetSocketAddress;

/** A process that sends each message back, at every address of its namespace. Prints its port. */
final class EchoServer {
  private EchoServer() {}

  @io.netty.channel.ChannelHandler.Sharable
  private static final class Echo extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ctx.writeAndFlush(message, ctx.voidPromise());
    }
  }

  /**
   * @param args the kind of sockets
   */
  public static void main(String[] args) throws Exception {
    TransportKind kind = TransportKind.valueOf(args[0]);
    RtServerChannel server =
        (RtServerChannel)
            new ServerBootstrap()
                .group(new MultiThreadIoEventLoopGroup(1, kind.handlers()))
                .channelFactory(RtChannels.server(kind.sockets()))
                .childHandler(new Echo())
                .bind(new InetSocketAddress("0.0.0.0", 0))
                .sync()
                .channel();
    System.out.println(server.localAddress().getPort());
    server.closeFuture().sync();
  }
}
