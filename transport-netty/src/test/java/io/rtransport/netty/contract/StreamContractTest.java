package io.rtransport.netty.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.rtransport.netty.handler.FaultInjectionHandler;
import io.rtransport.netty.handler.Faults;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Whole protocols of Netty's over a channel: TLS and HTTP/1.1. Over RT one packet in fifty is lost,
 * each way. {@code -Drt.tls.bytes=104857600} makes the echo as long as that.
 */
@ExtendWith(ContractCount.class)
@Timeout(600)
class StreamContractTest {
  private static final Faults LOSSY = new Faults(0.02, 0, 0, 0, 0, 0);
  private static final long TLS_BYTES = Long.getLong("rt.tls.bytes", 8L << 20);
  private static final int PIECE = 16 << 10;
  private static final int BODY_MAX = 8 << 20;
  private static final int LIMIT_SECONDS = 570;

  /** Loses what a channel sends, where it is RT's. */
  private static final class Losses {
    private final Queue<FaultInjectionHandler> handlers = new ConcurrentLinkedQueue<>();
    private final AtomicLong seed = new AtomicLong(100);

    void addTo(Rig rig) {
      if (rig.transport.isRt()) {
        rig.preparation =
            channel ->
                handlers.add(
                    new FaultInjectionHandler(Faults.NONE, LOSSY, seed.incrementAndGet())
                        .addTo(channel));
      }
    }

    /** How many packets were lost, and of how many; what TCP loses nobody here knows. */
    void assertLost(Transport transport) {
      if (transport.isRt()) {
        assertThat(handlers).hasSize(2).allMatch(handler -> handler.lostCount() > 0);
      }
    }

    @Override
    public String toString() {
      List<String> counts = new ArrayList<>();
      handlers.forEach(h -> counts.add(h.lostCount() + " of " + h.packetCount()));
      return counts.toString();
    }
  }

  /** Sends back what it reads, and reads no faster than that leaves. */
  private static final class Echo extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ctx.write(message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
      ctx.flush();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
      ctx.channel().config().setAutoRead(ctx.channel().isWritable());
      ctx.flush();
    }
  }

  /** Sends random bytes as fast as they leave, and takes the same number back. */
  private static final class Sender extends ChannelInboundHandlerAdapter {
    private final SplittableRandom random = new SplittableRandom(42);
    private final MessageDigest sent = sha256();
    private final MessageDigest received = sha256();
    private final CompletableFuture<Void> end = new CompletableFuture<>();
    private long sentBytes;
    private long receivedBytes;

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
      ctx.fireUserEventTriggered(event);
      send(ctx); // the handshake is over
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
      send(ctx);
    }

    private void send(ChannelHandlerContext ctx) {
      while (ctx.channel().isWritable() && sentBytes < TLS_BYTES) {
        byte[] piece = new byte[(int) Math.min(PIECE, TLS_BYTES - sentBytes)];
        random.nextBytes(piece);
        sent.update(piece);
        sentBytes += piece.length;
        ctx.writeAndFlush(Unpooled.wrappedBuffer(piece));
      }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ByteBuf buffer = (ByteBuf) message;
      receivedBytes += buffer.readableBytes();
      received.update(buffer.nioBuffer());
      buffer.release();
      if (receivedBytes == TLS_BYTES) {
        end.complete(null);
      }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
      send(ctx);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      end.completeExceptionally(new AssertionError("inactive after " + receivedBytes + " bytes"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      end.completeExceptionally(cause);
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (java.security.NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  @Contract
  void shouldEchoOverTls(Transport transport) throws Exception {
    X509Bundle certificate =
        new CertificateBuilder()
            .ecp256()
            .subject("CN=localhost")
            .addSanDnsName("localhost")
            .setIsCertificateAuthority(true)
            .buildSelfSigned();
    SslContext atServer = SslContextBuilder.forServer(certificate.toKeyManagerFactory()).build();
    SslContext atClient =
        SslContextBuilder.forClient().trustManager(certificate.toTrustManagerFactory()).build();
    Losses losses = new Losses();
    try (Rig rig = new Rig(transport)) {
      Sender sender = new Sender();
      losses.addTo(rig);
      rig.childHandlers =
          () -> Rig.handlers(new SslHandler(atServer.newEngine(rig.server.alloc())), new Echo());
      rig.clientHandlers =
          () ->
              Rig.handlers(
                  new SslHandler(atClient.newEngine(rig.server.alloc(), "localhost", 7400)),
                  sender);
      long startNs = System.nanoTime();
      rig.open();
      Rig.succeeded(rig.client.pipeline().get(SslHandler.class).handshakeFuture());
      sender.end.get(LIMIT_SECONDS, TimeUnit.SECONDS);
      double seconds = (System.nanoTime() - startNs) / 1e9;
      assertThat(sender.sentBytes).isEqualTo(TLS_BYTES);
      String digest = HexFormat.of().formatHex(sender.sent.digest());
      assertThat(HexFormat.of().formatHex(sender.received.digest())).isEqualTo(digest);
      losses.assertLost(transport);
      System.out.printf(
          "contract: TLS echo over %s: %d bytes each way in %.1f s, packets lost %s, SHA-256 %s both%n",
          transport, TLS_BYTES, seconds, losses, digest);
    }
  }

  /**
   * Answers each request by its own body, in chunks, or by a body of the length that its path
   * names.
   */
  private static final class HttpServer extends SimpleChannelInboundHandler<FullHttpRequest> {
    @Override
    protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
      ByteBuf body =
          request.method() == HttpMethod.POST
              ? request.content().retain()
              : Unpooled.wrappedBuffer(content(Integer.parseInt(request.uri().substring(1))));
      HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
      HttpUtil.setTransferEncodingChunked(head, true);
      head.headers().set("x-request", request.uri());
      HttpUtil.setKeepAlive(head, HttpUtil.isKeepAlive(request));
      ctx.write(head);
      while (body.readableBytes() > PIECE) {
        ctx.write(new DefaultHttpContent(body.readRetainedSlice(PIECE)));
      }
      var last = ctx.writeAndFlush(new DefaultLastHttpContent(body));
      if (!HttpUtil.isKeepAlive(request)) {
        last.addListener(ChannelFutureListener.CLOSE);
      }
    }
  }

  private static byte[] content(int length) {
    byte[] content = new byte[length];
    new SplittableRandom(length).nextBytes(content);
    return content;
  }

  /** Keeps the responses. */
  private static final class HttpClient extends SimpleChannelInboundHandler<FullHttpResponse> {
    private final BlockingQueue<FullHttpResponse> responses = new LinkedBlockingQueue<>();

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, FullHttpResponse response) {
      responses.add(response.retain());
    }

    void expect(String request, byte[] body) throws InterruptedException {
      FullHttpResponse response = responses.poll(Rig.LIMIT_SECONDS, TimeUnit.SECONDS);
      assertThat(response).as("the response to %s", request).isNotNull();
      assertThat(response.status()).isEqualTo(HttpResponseStatus.OK);
      assertThat(response.headers().get("x-request")).isEqualTo(request);
      byte[] received = new byte[response.content().readableBytes()];
      response.content().readBytes(received);
      assertThat(received).isEqualTo(body);
      response.release();
    }
  }

  private static DefaultFullHttpRequest get(int length) {
    return new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/" + length);
  }

  @Contract
  void shouldSpeakHttp(Transport transport) throws Exception {
    Losses losses = new Losses();
    try (Rig rig = new Rig(transport)) {
      HttpClient client = new HttpClient();
      losses.addTo(rig);
      rig.childHandlers =
          () ->
              Rig.handlers(
                  new HttpServerCodec(), new HttpObjectAggregator(BODY_MAX), new HttpServer());
      rig.clientHandlers =
          () -> Rig.handlers(new HttpClientCodec(), new HttpObjectAggregator(BODY_MAX), client);
      rig.open();
      Channel channel = rig.client;

      int[] lengths = {0, 1, 1_000, 100_000, 3_000_000, 17, PIECE, PIECE + 1};
      for (int length : lengths) { // one after the other, on one connection
        channel.writeAndFlush(get(length));
        client.expect("/" + length, content(length));
      }
      for (int i = 0; i < 200; i++) { // pipelined: none waits for an answer
        channel.writeAndFlush(get(i * 37));
      }
      for (int i = 0; i < 200; i++) {
        client.expect("/" + i * 37, content(i * 37));
      }
      postInChunks(channel, "/first", 3_000_000);
      postInChunks(channel, "/second", 10);
      client.expect("/first", content(3_000_000));
      client.expect("/second", content(10));
      losses.assertLost(transport);

      DefaultFullHttpRequest last = get(5_000);
      last.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
      channel.writeAndFlush(last);
      client.expect("/5000", content(5_000));
      Rig.succeeded(channel.closeFuture());
      assertThat(rig.atClient.failures()).isEmpty();
      assertThat(rig.atChild.failures()).isEmpty();
    }
  }

  private static void postInChunks(Channel channel, String path, int length) {
    HttpRequest head = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, path);
    HttpUtil.setTransferEncodingChunked(head, true);
    channel.write(head);
    ByteBuf body = Unpooled.wrappedBuffer(content(length));
    while (body.readableBytes() > 1_000) {
      channel.write(new DefaultHttpContent(body.readRetainedSlice(1_000)));
    }
    channel.write(new DefaultHttpContent(body));
    channel.writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT);
  }
}
