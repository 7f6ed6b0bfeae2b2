package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An application that is a module: it names one of ours, and sees of it what is exported. */
@Timeout(120)
class ModulePathTest {
  private static final List<String> PARTS =
      List.of("/io/netty/", "/agrona/", "/transport-core/", "/transport-netty/");

  @TempDir Path directory;
  private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

  /** An echo over a port that keeps packets pinned in the store until the next task of the loop. */
  private static final String PORT_OF_ITS_OWN =
      """
      import io.netty.bootstrap.*;
      import io.netty.buffer.*;
      import io.netty.channel.*;
      import io.netty.channel.nio.*;
      import io.rtransport.core.burst.PacketBurst;
      import io.rtransport.netty.*;
      import io.rtransport.netty.port.*;
      import java.net.InetSocketAddress;
      import java.nio.ByteBuffer;
      import java.util.*;
      import java.util.concurrent.CompletableFuture;

      public class Own extends RtPort {
        static final Map<InetSocketAddress, Own> PORTS = new HashMap<>();
        static long fromStore;
        final PortContext context;
        final InetSocketAddress local;
        InetSocketAddress remote;
        long calls;

        Own(PortContext context, InetSocketAddress local, InetSocketAddress remote) {
          this.context = context;
          this.local = local != null ? local : new InetSocketAddress("10.0.0.1", 1 + PORTS.size());
          this.remote = remote;
          PORTS.put(this.local, this);
        }

        @Override public InetSocketAddress localAddress() { return local; }
        @Override public InetSocketAddress remoteAddress() { return remote; }
        @Override public void connect(InetSocketAddress peer) { remote = peer; }
        @Override public boolean hasRoom() { return true; }
        @Override public long socketCalls() { return calls; }

        @Override public void send(PacketBurst burst, InetSocketAddress to) {
          for (int i = 0; i < burst.count(); i++) {
            if (burst.isDropped(i)) {
              continue;
            }
            int token = burst.token(i);
            if (token == PacketBurst.TRANSIENT) {
              send(burst.buffer(i), burst.offset(i), burst.length(i), to);
              continue;
            }
            fromStore++;
            context.pin(token);
            ByteBuf slice = context.storeBytes().retainedSlice(burst.offset(i), burst.length(i));
            context.loop().execute(() -> {
              PORTS.get(to).take(slice, local);
              context.unpin(token);
            });
          }
        }

        @Override public void send(ByteBuffer buffer, int offset, int length, InetSocketAddress to) {
          byte[] copy = new byte[length];
          buffer.get(offset, copy);
          context.loop().execute(() -> PORTS.get(to).take(Unpooled.wrappedBuffer(copy), local));
        }

        void take(ByteBuf packet, InetSocketAddress from) {
          calls++;
          ReceiveBuffer buffer = context.receiveBuffers().take(ReceiveBuffers.COALESCED_LENGTH);
          buffer.bytes().setBytes(0, packet, packet.readableBytes());
          packet.release();
          int length = packet.writerIndex();
          context.listener().onPacket(this, buffer, 0, length, from);
          buffer.bytes().release();
          context.receiveBuffers().readComplete();
          context.listener().onReadComplete(this);
        }

        @Override protected void close() {
          context.listener().onClosed(this);
        }

        public static void main(String[] args) throws Exception {
          EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
          PortFactory ports = (context, config, local, remote) -> new Own(context, local, remote);
          InetSocketAddress address = new InetSocketAddress("10.0.0.9", 9);
          new ServerBootstrap().group(group).channelFactory(RtChannels.server(ports))
              .childHandler(new ChannelInboundHandlerAdapter() {
                @Override public void channelRead(ChannelHandlerContext ctx, Object message) {
                  ctx.writeAndFlush(message);
                }
              })
              .bind(address).sync();
          CompletableFuture<String> answer = new CompletableFuture<>();
          Channel client = new Bootstrap().group(group).channelFactory(RtChannels.client(ports))
              .handler(new ChannelInboundHandlerAdapter() {
                @Override public void channelRead(ChannelHandlerContext ctx, Object message) {
                  answer.complete(ByteBufUtil.hexDump((ByteBuf) message));
                  ((ByteBuf) message).release();
                }
              })
              .connect(address).sync().channel();
          client.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {1, 2, 3})).sync();
          System.out.println("answer " + answer.get() + ", from the store: " + (fromStore > 1));
          group.shutdownGracefully(0, 1, java.util.concurrent.TimeUnit.SECONDS).sync();
        }
      }
      """;

  @Test
  void shouldRunReadmesExampleAsAModule() throws Exception {
    String example = EmbeddingExampleTest.IMPORTS + EmbeddingExampleTest.readmesExample();
    assertThat(compile("Hello", example)).as("%s", errors).isZero();
    assertPrints("Hello", "the server said: hello\n");
  }

  @Test
  void shouldCarryMessagesOverAPortOfTheApplicationsOwn() throws Exception {
    assertThat(compile("Own", PORT_OF_ITS_OWN)).as("%s", errors).isZero();
    assertPrints("Own", "answer 010203, from the store: true\n");
  }

  private void assertPrints(String name, String expected) throws Exception {
    Path out = directory.resolve("out");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--module-path",
                directory.resolve("classes") + File.pathSeparator + modulePath(),
                "--module",
                "hello/hello." + name)
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    assertThat(out).content().isEqualTo(expected);
    assertThat(process.exitValue()).isZero();
  }

  @Test
  void shouldNotLetAnApplicationSeeWhatIsInternal() throws Exception {
    assertThat(compile("Nosy", "class Nosy { io.rtransport.netty.internal.loop.LoopDriver its; }"))
        .isNotZero();
    assertThat(errors.toString())
        .contains("package io.rtransport.netty.internal.loop is not visible");
  }

  @Test
  void shouldNotLetAnApplicationSeeTheInsideOfCore() throws Exception {
    assertThat(compile("Nosy", "class Nosy { io.rtransport.core.window.WindowSublayer its; }"))
        .isNotZero();
    assertThat(errors.toString()).contains("package io.rtransport.core.window is not visible");
  }

  private int compile(String name, String source) throws IOException {
    Path module = Files.createDirectories(directory.resolve("hello"));
    Path info =
        Files.writeString(
            module.resolve("module-info.java"), "module hello { requires io.rtransport.netty; }");
    Path file = Files.writeString(module.resolve(name + ".java"), "package hello;\n" + source);
    return ToolProvider.getSystemJavaCompiler()
        .run(
            null,
            null,
            errors,
            "--release",
            "17",
            "-proc:none",
            "--module-path",
            modulePath(),
            "-d",
            directory.resolve("classes").toString(),
            info.toString(),
            file.toString());
  }

  /** What of this test's class path a user depends on. */
  private static String modulePath() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry -> PARTS.stream().anyMatch(entry::contains))
        .filter(entry -> !entry.contains("test-classes") && !entry.contains("-tests"))
        .collect(Collectors.joining(File.pathSeparator));
  }
}
