package io.rtransport.netty.facade;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import io.rtransport.netty.ConnectionLostException;
import io.rtransport.netty.RtPullRequest;
import io.rtransport.netty.RtPush;
import java.util.function.Consumer;

/**
 * The end of a facade channel's pipeline. It turns the channel's events into callbacks of a target.
 */
final class ConnectionHandler extends ChannelInboundHandlerAdapter {
  private final RtConnection connection;
  private final RtTarget target;
  private final Consumer<RtConnection> whenActive;

  /**
   * @param whenActive called after the target's {@code onConnect}
   */
  ConnectionHandler(RtConnection connection, RtTarget target, Consumer<RtConnection> whenActive) {
    this.connection = connection;
    this.target = target;
    this.whenActive = whenActive;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    try {
      target.onConnect(connection);
    } finally {
      whenActive.accept(connection);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof RtPush push) {
      target.onPush(connection, new InboundPush(push));
    } else if (message instanceof RtPullRequest request) {
      target.onPull(connection, request);
    } else {
      ReferenceCountUtil.release(message); // made by a handler of the application
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    target.onClose(connection, connection.endedBy());
  }

  /**
   * Passes exceptions on. {@link #channelInactive} tells of a loss, so this method does not. An
   * exception of a callback goes on to the pipeline's end, which fails its transaction.
   */
  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (!(cause instanceof ConnectionLostException)) {
      ctx.fireExceptionCaught(cause);
    }
  }
}
