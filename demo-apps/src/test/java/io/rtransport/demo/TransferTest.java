package io.rtransport.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.rtransport.command.SocketKind;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.text.HostPort;
import io.rtransport.demo.initiator.ChannelInitiator;
import io.rtransport.demo.initiator.RequestException;
import io.rtransport.demo.protocol.ErrorCode;
import io.rtransport.demo.protocol.FileStat;
import io.rtransport.demo.protocol.Listing;
import io.rtransport.demo.protocol.Operation;
import io.rtransport.demo.protocol.RequestHeader;
import io.rtransport.demo.socket.EventLoops;
import io.rtransport.demo.socket.Hosts;
import io.rtransport.demo.store.Checksum;
import io.rtransport.demo.store.FileStore;
import io.rtransport.demo.target.FileTarget;
import io.rtransport.netty.Push;
import io.rtransport.netty.RtChannels;
import io.rtransport.netty.RtPayload;
import io.rtransport.netty.RtPullRequest;
import io.rtransport.netty.control.AdpSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Push, pull, ls and ping against a target in this process, over real sockets, with friendly and
 * hostile initiators.
 */
class TransferTest {
  private static final byte[] CONTENT = {1, 2, 3, 4, 5};

  @TempDir Path scratch;
  private final StringWriter log = new StringWriter();
  private Path root;
  private FileStore store;
  private FileTarget target;
  private String address;

  @BeforeEach
  void open() throws IOException {
    root = scratch.resolve("a/b/root");
    store = FileStore.open(root);
    InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    target =
        FileTarget.open(
            List.of(loopback),
            new EventLoops(SocketKind.best(), 2, false),
            AdpSettings.NONE,
            store,
            new TargetReport(new PrintWriter(log)));
    address = Hosts.text(target.addresses().get(0));
  }

  @AfterEach
  void close() throws IOException {
    target.close();
    store.close();
  }

  @Test
  void shouldListenAtMoreAddressesThanOneServerTakes() throws Exception {
    target.close();
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    target =
        FileTarget.open(
            Collections.nCopies(9, any),
            new EventLoops(SocketKind.best(), 2, false),
            AdpSettings.NONE,
            store,
            new TargetReport(new PrintWriter(log)));
    assertThat(Set.copyOf(target.addresses())).hasSize(9);
  }

  @Test
  void shouldListenAtAddressesOfBothFamiliesInTheOrderGiven() throws Exception {
    target.close();
    List<InetSocketAddress> wanted = new ArrayList<>();
    for (String host : List.of("127.0.0.1", "::1", "127.0.0.2", "0.0.0.0")) {
      wanted.add(new InetSocketAddress(InetAddress.getByName(host), 0));
    }
    target =
        FileTarget.open(
            wanted,
            new EventLoops(SocketKind.best(), 2, false),
            AdpSettings.NONE,
            store,
            new TargetReport(new PrintWriter(log)));
    List<InetSocketAddress> bound = target.addresses();
    assertThat(bound).hasSize(4).doesNotHaveDuplicates();
    for (int i = 0; i < 3; i++) { // epoll shows the wildcard as one of IPv6
      assertThat(bound.get(i).getAddress()).isEqualTo(wanted.get(i).getAddress());
    }
    for (InetSocketAddress each : bound.subList(0, 3)) {
      CommandRun ping =
          CommandRun.of("ping", Hosts.text(each), "--count", "3", "--interval", "100ms");
      assertThat(ping.status()).isZero();
    }
    assertThat(target.loopCounters()).containsEntry(CounterId.PATHS_OPENED, 2L); // of 127.0.0.0/8
  }

  @Test
  void shouldCountWhatBelongsToNoConnection() throws IOException {
    InetSocketAddress to = target.addresses().get(0);
    byte[] unknown = HexFormat.of().parseHex("0108002c0102030411223344556677880000000700000000");
    ByteBuffer ping = ByteBuffer.allocate(44).put(unknown);
    CRC32C checksum = new CRC32C();
    checksum.update(ping.array(), 0, 40);
    ping.putInt(40, (int) checksum.getValue());
    try (DatagramSocket stranger = new DatagramSocket()) {
      stranger.setSoTimeout(20_000);
      stranger.send(new DatagramPacket(ping.array(), 44, to));
      DatagramPacket reset = new DatagramPacket(new byte[100], 100);
      stranger.receive(reset);
      assertThat(reset.getLength()).isEqualTo(32);
      stranger.send(new DatagramPacket(new byte[] {1}, 1, to));
      await()
          .until(
              () -> target.loopCounters().getOrDefault(CounterId.DROP_TRUNCATED, 0L), c -> c == 1);
    }
    CommandRun friend = CommandRun.of("ping", address, "--count", "1");
    assertThat(friend.status()).isZero();
    target.close();
    assertThat(target.counters()).doesNotContainKeys(CounterId.DROP_CID, CounterId.RESETS_SENT);
    assertThat(target.loopCounters())
        .containsEntry(CounterId.DROP_CID, 1L)
        .containsEntry(CounterId.RESETS_SENT, 1L)
        .containsEntry(CounterId.DROP_TRUNCATED, 1L)
        .containsEntry(CounterId.CONNECTIONS_ESTABLISHED, 1L);
  }

  @Test
  void shouldPushListAndPullBack() throws IOException {
    Path small = file("small", 1);
    Path large = file("large.bin", 3_000_001);
    Path empty = file("empty", 0);
    Path json = scratch.resolve("push.json");
    CommandRun push =
        CommandRun.of(
            "push",
            small.toString(),
            large.toString(),
            empty.toString(),
            "--to",
            address,
            "--json",
            json.toString());
    assertThat(push.err()).isEmpty();
    assertThat(push.status()).isZero();
    assertThat(push.out()).contains("3 stored, 0 already there, 0 failed, 0 unknown");
    assertThat(CommandRun.json(json).get("stored").asInt()).isEqualTo(3);
    for (Path file : List.of(small, large, empty)) {
      assertThat(root.resolve(file.getFileName())).hasSameBinaryContentAs(file);
    }

    Path listing = scratch.resolve("ls.json");
    CommandRun ls = CommandRun.of("ls", "--from", address, "--json", listing.toString());
    assertThat(ls.status()).isZero();
    assertThat(ls.out()).contains("3000001").contains("large.bin");
    assertThat(CommandRun.json(listing).get("files")).hasSize(3);

    for (Path file : List.of(small, large, empty)) {
      Path back = scratch.resolve("back");
      Path result = scratch.resolve("pull.json");
      CommandRun pull =
          CommandRun.of(
              "pull",
              file.getFileName().toString(),
              "--from",
              address,
              "-o",
              back.toString(),
              "--json",
              result.toString());
      assertThat(pull.err()).isEmpty();
      assertThat(pull.status()).isZero();
      assertThat(back).hasSameBinaryContentAs(file);
      assertThat(CommandRun.json(result).get("bytes").asLong()).isEqualTo(Files.size(file));
    }
    assertNothingElseIsLeft();
  }

  @Test
  void shouldSendOnlyWhatIsMissingOrChangedTheSecondTime() throws IOException {
    Path same = file("same", 100_000);
    Path changed = file("changed", 100_000);
    assertThat(CommandRun.of("push", same.toString(), changed.toString(), "--to", address).status())
        .isZero();
    byte[] bytes = Files.readAllBytes(changed);
    bytes[99_999]++;
    Files.write(changed, bytes);
    Path json = scratch.resolve("push.json");
    CommandRun push =
        CommandRun.of(
            "push",
            same.toString(),
            changed.toString(),
            "--to",
            address,
            "--json",
            json.toString());
    assertThat(push.status()).isZero();
    JsonNode files = CommandRun.json(json).get("files");
    assertThat(files.get(0).get("end").asText()).isEqualTo("present");
    assertThat(files.get(1).get("end").asText()).isEqualTo("stored");
    assertThat(root.resolve("changed")).hasSameBinaryContentAs(changed);
  }

  @ParameterizedTest
  @ValueSource(strings = {"--busy-poll=false", "--busy-poll"})
  void shouldPing(String polling) throws IOException {
    Path json = scratch.resolve("ping.json");
    CommandRun ping =
        CommandRun.of(
            "ping",
            address,
            polling,
            "--count",
            "3",
            "--interval",
            "1ms",
            "--json",
            json.toString());
    assertThat(ping.err()).isEmpty();
    assertThat(ping.status()).isZero();
    assertThat(ping.out())
        .contains("seq=3")
        .contains("3 sent, 3 received, 0 % lost")
        .contains("min/avg/max/mdev");
    assertThat(CommandRun.json(json).get("latencyMicros").get("p50").asDouble()).isPositive();
  }

  @Test
  void shouldSayThatAFileIsNotThereAndLeaveWhatWas() throws IOException {
    Path back = Files.writeString(scratch.resolve("back"), "older");
    CommandRun pull = CommandRun.of("pull", "none", "--from", address, "-o", back.toString());
    assertThat(pull.status()).isEqualTo(1);
    assertThat(pull.err()).hasSize(1);
    assertThat(pull.err().get(0)).contains("none").contains("no such file");
    assertThat(back).hasContent("older");
    assertNothingElseIsLeft();
  }

  @Test
  void shouldSayWhichFileTheTargetRefuses() throws IOException {
    Files.createDirectory(root.resolve("taken"));
    CommandRun push =
        CommandRun.of(
            "push", file("taken", 10).toString(), file("free", 10).toString(), "--to", address);
    assertThat(push.status()).isEqualTo(1);
    assertThat(push.err()).hasSize(1);
    assertThat(push.out())
        .containsPattern("taken +10 B +failed .*not a regular file")
        .containsPattern("free +10 B +stored");
    assertThat(root.resolve("free")).hasSize(10);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "..",
        ".",
        "",
        "../escaped",
        "../../../escaped",
        "/escaped",
        "a/escaped",
        "..\\escaped",
        "link/escaped",
        "esc\0aped",
        "escaped\n",
        ".rt-incoming",
        ".rt-incoming/lock",
        "nul",
        "C:\\escaped"
      })
  void shouldNeverWriteNorReadOutsideItsRoot(String name) throws IOException {
    Path outside = Files.createDirectory(scratch.resolve("outside"));
    Files.createSymbolicLink(root.resolve("link"), outside);
    List<Path> before = tree();
    try (ChannelInitiator hostile = connect()) {
      assertRefused(() -> push(hostile, name, 5), ErrorCode.BAD_NAME);
      assertRefused(() -> push(hostile, name, 20_000), ErrorCode.BAD_NAME);
      assertRefused(() -> hostile.stat(name, -1), ErrorCode.BAD_NAME);
      hostile.echo(7);
    }
    assertThat(tree()).isEqualTo(before);
  }

  @Test
  void shouldRefuseAPushWhoseBytesAreOthersThanItsChecksum() throws IOException {
    try (ChannelInitiator hostile = connect()) {
      RtPayload payload = RtPayload.of(Unpooled.wrappedBuffer(CONTENT, new byte[32]));
      assertRefused(() -> store(hostile, "a", payload), ErrorCode.CHECKSUM);
      assertThat(hostile.list()).isEmpty();
    }
    assertNothingElseIsLeft();
  }

  @Test
  void shouldAnswerWhatIsNoRequestWithAnErrorAndGoOn() throws IOException {
    try (ChannelInitiator hostile = connect()) {
      for (byte[] header : new byte[][] {{}, {1}, new byte[44], new byte[512]}) {
        var end =
            hostile
                .channel()
                .writeAndFlush(Push.of(Unpooled.wrappedBuffer(CONTENT), header))
                .awaitUninterruptibly();
        assertThat(end.cause()).as("header of %d bytes", header.length).isNotNull();
      }
      hostile.echo(1);
    }
    assertNothingElseIsLeft();
  }

  @Test
  void shouldRefuseToAnswerWithAFileOfAnotherSizeThanAskedFor() throws IOException {
    Files.write(root.resolve("a"), CONTENT);
    try (ChannelInitiator initiator = connect()) {
      assertRefused(
          () -> {
            initiator.fetch("a", 4, new io.rtransport.demo.transfer.FileSink(null, bytes -> {}));
            return null;
          },
          ErrorCode.CHANGED);
    }
  }

  @Test
  void shouldRefuseAPushThatIsShorterThanItsChecksum() throws IOException {
    try (ChannelInitiator initiator = connect()) {
      assertRefused(
          () -> {
            initiator.store("short", RtPayload.of(Unpooled.wrappedBuffer(new byte[31])));
            return null;
          },
          ErrorCode.BAD_REQUEST);
    }
  }

  /** What a target may say of a file's size, and how long its answer then is. */
  @ParameterizedTest
  @CsvSource({
    "10, 42, another checksum",
    "10, 41, another length than size=10",
    "10, 31, another length than size=10",
    "10, 0, another length than size=10",
    "0, 31, another checksum",
    "4294967264, 0, 'size=4294967264, valid: 0..4294967263'",
    "9223372036854775807, 0, 'size=9223372036854775807, valid: 0..4294967263'",
  })
  void shouldKeepWhatWasWhenATargetLies(long size, int answer, String why) throws Exception {
    Path back = Files.writeString(scratch.resolve("back"), "older");
    EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    try {
      Channel liar =
          new ServerBootstrap()
              .group(group)
              .channelFactory(RtChannels.server(NioDatagramChannel::new))
              .childHandler(new Liar(size, answer))
              .bind(InetAddress.getLoopbackAddress(), 0)
              .sync()
              .channel();
      String at = Hosts.text((InetSocketAddress) liar.localAddress());
      CommandRun pull = CommandRun.of("pull", "a", "--from", at, "-o", back.toString());
      assertThat(pull.status()).isEqualTo(1);
      assertThat(pull.err().get(0)).contains(why);
    } finally {
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }
    assertThat(back).hasContent("older");
    assertNothingElseIsLeft();
  }

  /** A target whose answer is zeros, and not what it says of its file. */
  @ChannelHandler.Sharable
  private static final class Liar extends ChannelInboundHandlerAdapter {
    private final long sizeBytes;
    private final int answerBytes;

    Liar(long sizeBytes, int answerBytes) {
      this.sizeBytes = sizeBytes;
      this.answerBytes = answerBytes;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      RtPullRequest pull = (RtPullRequest) message;
      boolean isStat = RequestHeader.decode(pull.header()).operation() == Operation.STAT;
      pull.respond(
          isStat
              ? Unpooled.wrappedBuffer(new FileStat(sizeBytes, null).encode())
              : Unpooled.wrappedBuffer(new byte[answerBytes]));
    }
  }

  @Test
  void shouldForgetAFileWhoseSenderGoesAwayInTheMiddle() throws IOException {
    try (ChannelInitiator initiator = connect()) {
      Thread sender =
          new Thread(() -> assertThatThrownBy(() -> initiator.store("half", new Half(1 << 20))));
      sender.start();
      await().until(() -> tree().stream().anyMatch(path -> path.toString().endsWith(".part")));
      initiator.abort();
      await().until(() -> !sender.isAlive());
    }
    await().untilAsserted(this::assertNothingElseIsLeft);
    assertThat(root.resolve("half")).doesNotExist();
  }

  @Test
  void shouldTakePushesOfAHundredPeersBesideOneWhoseFilesNeverCome() throws Exception {
    EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    try (ChannelInitiator greedy = connect()) {
      for (int i = 0; i < FileStore.UPLOADS_MAX; i++) {
        greedy.channel().write(stored("greedy" + i, new Half(1 << 20)));
      }
      greedy.channel().flush();
      await().until(() -> parts() == FileStore.UPLOADS_MAX);
      assertThatAHundredAreStored(group, "127.0.0.1");
      greedy.abort();
    } finally {
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }
    await().until(() -> parts() == 0);
    assertThat(store.list("")).hasSize(100).allMatch(entry -> entry.name().startsWith("honest"));
  }

  /** Each connection has one place, so that by connection none has more than its part. */
  @Test
  void shouldTakePushesOfAHundredPeersBesideAHostThatTakesAllPlacesByManyConnections()
      throws Exception {
    EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    try {
      for (Channel greedy : connect(group, "127.0.0.1", FileStore.UPLOADS_MAX)) {
        greedy.writeAndFlush(stored("greedy" + greedy.id(), new Half(1 << 14)));
      }
      await().atMost(60, TimeUnit.SECONDS).until(() -> parts() == FileStore.UPLOADS_MAX);
      assertThatAHundredAreStored(group, "127.0.0.2");
    } finally {
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }
    await().atMost(60, TimeUnit.SECONDS).until(() -> parts() == 0);
    assertThat(store.list("")).hasSize(100).allMatch(entry -> entry.name().startsWith("honest"));
  }

  private void assertThatAHundredAreStored(EventLoopGroup group, String host) throws Exception {
    List<ChannelFuture> pushes = new ArrayList<>();
    for (Channel honest : connect(group, host, 100)) {
      byte[] two = {1, (byte) pushes.size()};
      byte[] sha256 = MessageDigest.getInstance("SHA-256").digest(two);
      RtPayload payload = RtPayload.of(Unpooled.wrappedBuffer(two, sha256));
      pushes.add(honest.writeAndFlush(stored("honest" + pushes.size(), payload)));
    }
    for (ChannelFuture push : pushes) {
      assertThat(push.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(push.cause()).isNull();
    }
  }

  private List<Channel> connect(EventLoopGroup group, String host, int count)
      throws InterruptedException {
    List<ChannelFuture> connects = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      connects.add(
          new Bootstrap()
              .group(group)
              .channelFactory(RtChannels.client(NioDatagramChannel::new))
              .handler(new ChannelInboundHandlerAdapter())
              .connect(target.addresses().get(0), new InetSocketAddress(host, 0)));
    }
    List<Channel> channels = new ArrayList<>();
    for (ChannelFuture connect : connects) {
      channels.add(connect.sync().channel());
    }
    return channels;
  }

  private static Push stored(String name, RtPayload payload) {
    long sizeBytes = payload.lengthBytes() - RequestHeader.SHA256_LENGTH;
    return new Push(payload, RequestHeader.store(name, sizeBytes).encode());
  }

  private long parts() throws IOException {
    try (Stream<Path> files = Files.list(root.resolve(".rt-incoming"))) {
      return files.filter(file -> file.toString().endsWith(".part")).count();
    }
  }

  /** A payload whose second half never comes. */
  private static final class Half extends RtPayload {
    private final int lengthBytes;

    Half(int lengthBytes) {
      this.lengthBytes = lengthBytes;
    }

    @Override
    public long lengthBytes() {
      return lengthBytes;
    }

    @Override
    protected int copy(long offset, ByteBuffer to, int index, int length) {
      return offset < lengthBytes / 2 ? length : 0;
    }

    @Override
    protected void deallocate() {
      // It holds nothing.
    }
  }

  @Test
  void shouldListMoreFilesThanFitAPage() throws IOException {
    for (int i = 0; i < 700; i++) {
      Files.createFile(root.resolve("f".repeat(100) + i));
    }
    try (ChannelInitiator initiator = connect()) {
      assertThat(initiator.list()).hasSize(700).extracting(Listing.Entry::name).isSorted();
    }
  }

  private ChannelInitiator connect() throws RequestException {
    return ChannelInitiator.connect("--to", List.of(HostPort.parse("--to", address, 1)));
  }

  private static Void push(ChannelInitiator initiator, String name, int sizeBytes)
      throws IOException {
    return store(initiator, name, RtPayload.of(Unpooled.wrappedBuffer(new byte[sizeBytes + 32])));
  }

  private static Void store(ChannelInitiator initiator, String name, RtPayload payload)
      throws IOException {
    initiator.store(name, payload);
    return null;
  }

  private static void assertRefused(Callable<?> request, ErrorCode code) {
    assertThatThrownBy(request::call)
        .isInstanceOfSatisfying(
            RequestException.class,
            e -> {
              assertThat(e.code()).isSameAs(code);
              assertThat(e.outcome()).isEqualTo(Outcome.FAILED);
            });
  }

  private Path file(String name, int sizeBytes) throws IOException {
    byte[] bytes = new byte[sizeBytes];
    new Random(sizeBytes).nextBytes(bytes);
    Path file = Files.write(scratch.resolve(name), bytes);
    assertThat(Checksum.sha256(file)).hasSize(32);
    return file;
  }

  private List<Path> tree() throws IOException {
    try (Stream<Path> paths = Files.walk(scratch)) {
      return paths.sorted().toList();
    }
  }

  private void assertNothingElseIsLeft() throws IOException {
    assertThat(tree()).noneMatch(path -> path.toString().endsWith(".part"));
  }
}
