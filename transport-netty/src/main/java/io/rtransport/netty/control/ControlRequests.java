package io.rtransport.netty.control;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.util.concurrent.ScheduledFuture;
import io.rtransport.core.adp.NodeRegister;
import io.rtransport.core.adp.RoceAcclRegister;
import io.rtransport.core.json.Json;
import io.rtransport.core.rail.RailHealth;
import io.rtransport.core.text.InvalidValueException;
import io.rtransport.netty.internal.loop.Nodes;
import io.rtransport.netty.internal.stat.NodeDocument;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * One request of a control connection, and its answer. After the answer the connection is closed.
 * Both are lines of ASCII, ended by a line feed:
 *
 * <pre>
 *   query               the active profile      ok HEX            the register, 128 digits
 *   query N             profile N, 0..7         ok JSON           to stat and knobs
 *   set HEX             a set, 128 digits       refused MESSAGE   one line; nothing has changed
 *   stat                the node's state
 *   knobs               the knobs of health
 *   knobs NAME=VALUE …  sets some of them
 * </pre>
 *
 * <p>The answer to a set is what was set, after the set. A connection is closed without an answer
 * if it has not sent its line within the limit, or if its line is longer than any request.
 */
final class ControlRequests extends SimpleChannelInboundHandler<ByteBuf> {
  /** Longest line with its line feed: all knobs, each with its longest value, need fewer. */
  static final int LENGTH_MAX = 1 << 10;

  private final NodeRegister register;
  private final NodeAnswers answers;
  private final long limitMillis;
  private final StringBuilder line = new StringBuilder();
  private boolean isAnswered;

  ControlRequests(NodeRegister register, NodeAnswers answers, long limitMillis) {
    this.register = register;
    this.answers = answers;
    this.limitMillis = limitMillis;
  }

  /** Returns whether its line is there: what follows is the node's work, not the client's. */
  boolean isAnswered() {
    return isAnswered;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    ScheduledFuture<?> limit =
        context.executor().schedule(() -> context.close(), limitMillis, TimeUnit.MILLISECONDS);
    context.channel().closeFuture().addListener(closed -> limit.cancel(false));
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
      answer(context, line.toString());
    }
  }

  private void answer(ChannelHandlerContext context, String request) {
    if (request.equals("stat")) {
      answers.ask(context.executor(), answer -> write(context, answer));
    } else {
      write(context, answer(request));
    }
  }

  private static void write(ChannelHandlerContext context, String answer) {
    ByteBuf bytes = ByteBufUtil.writeUtf8(context.alloc(), answer + "\n");
    context.writeAndFlush(bytes).addListener(ChannelFutureListener.CLOSE);
  }

  private String answer(String request) {
    String[] words = request.split(" ", 2);
    try {
      return words[0].equals("knobs")
          ? "ok " + Json.write(knobsAfter(words))
          : "ok " + HexFormat.of().formatHex(registerAfter(words));
    } catch (IllegalArgumentException e) {
      return "refused " + e.getMessage();
    }
  }

  private Map<String, Object> knobsAfter(String[] words) {
    RailHealth health = Nodes.RAIL_HEALTH;
    if (words.length == 2) {
      HealthKnobs knobs = HealthKnobs.parse("knob", List.of(words[1].split(" ", -1)));
      health.change(knobs::in);
      answers.forget();
    }
    return NodeDocument.knobs(health.config());
  }

  private byte[] registerAfter(String[] words) {
    if (register == null) {
      throw new InvalidValueException(
          "request", words[0], "stat, knobs, or knobs NAME=VALUE; no register is here");
    }
    if (words[0].equals("query")) {
      return words.length == 1 ? register.query() : register.query(id(words[1]));
    }
    if (words[0].equals("set") && words.length == 2) {
      byte[] bytes = RoceAcclRegister.parseHex("register", words[1]);
      register.set(bytes);
      return register.query();
    }
    throw new InvalidValueException(
        "request", words[0], "query, query N, set HEX, stat, knobs, or knobs NAME=VALUE");
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
