package io.rtransport.netty.control;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.rtransport.core.adp.NodeRegister;
import io.rtransport.core.adp.RoceAcclRegister;
import io.rtransport.core.text.InvalidValueException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;

/**
 * One request of a control connection, and its answer. After the answer the connection is closed.
 * Both are lines of ASCII, ended by a line feed:
 *
 * <pre>
 *   query            the active profile      ok HEX            the register, 128 digits
 *   query N          profile N, 0..7         refused MESSAGE   one line; nothing has changed
 *   set HEX          a set, 128 digits
 * </pre>
 *
 * <p>The answer to a set is the register after the set. A connection is closed without an answer if
 * it has not sent its line within the limit, or if its line is longer than any request.
 */
final class ControlRequests extends SimpleChannelInboundHandler<ByteBuf> {
  /** Length of {@code "set "}, the register, and a line feed. */
  static final int LENGTH_MAX = 4 + 2 * RoceAcclRegister.LENGTH_BYTES + 1;

  private final NodeRegister register;
  private final long limitMillis;
  private final StringBuilder line = new StringBuilder();
  private boolean isAnswered;

  ControlRequests(NodeRegister register, long limitMillis) {
    this.register = register;
    this.limitMillis = limitMillis;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    context.executor().schedule(() -> context.close(), limitMillis, TimeUnit.MILLISECONDS);
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
    if (isAnswered) {
      return;
    }
    int end = bytes.indexOf(bytes.readerIndex(), bytes.writerIndex(), (byte) '\n');
    int length = end < 0 ? bytes.readableBytes() : end - bytes.readerIndex();
    if (line.length() + length >= LENGTH_MAX) {
      isAnswered = true;
      context.close();
      return;
    }
    line.append(bytes.toString(bytes.readerIndex(), length, StandardCharsets.US_ASCII));
    if (end >= 0) {
      isAnswered = true;
      ByteBuf answer = ByteBufUtil.writeUtf8(context.alloc(), answer(line.toString()) + "\n");
      context.writeAndFlush(answer).addListener(ChannelFutureListener.CLOSE);
    }
  }

  private String answer(String request) {
    try {
      return "ok " + HexFormat.of().formatHex(registerAfter(request.split(" ", 2)));
    } catch (InvalidValueException e) {
      return "refused " + e.getMessage();
    }
  }

  private byte[] registerAfter(String[] words) {
    if (words[0].equals("query")) {
      return words.length == 1 ? register.query() : register.query(id(words[1]));
    }
    if (words[0].equals("set") && words.length == 2) {
      byte[] bytes = RoceAcclRegister.parseHex("register", words[1]);
      register.set(bytes);
      return register.query();
    }
    throw new InvalidValueException("request", words[0], "query, query N, or set HEX");
  }

  private static int id(String text) {
    if (text.length() != 1 || !Character.isDigit(text.charAt(0))) {
      throw new InvalidValueException(
          "adp_retx_profile_id", text, "0.." + RoceAcclRegister.PROFILE_ID_MAX);
    }
    return text.charAt(0) - '0';
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    context.close(); // the client has gone before the answer
  }
}
