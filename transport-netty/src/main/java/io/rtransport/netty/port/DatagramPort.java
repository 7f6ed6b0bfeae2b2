package io.rtransport.netty.port;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.unix.Errors;
import io.netty.channel.unix.Errors.NativeIoException;
import io.netty.channel.unix.SegmentedDatagramPacket;
import io.netty.channel.unix.Socket;
import io.netty.channel.unix.UnixChannel;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.rtransport.core.wire.PacketBurst;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * A port over one of Netty's datagram sockets.
 *
 * <p>Sending: packets of equal length that lie end to end in the retransmission store go out as one
 * GSO send where the socket has it, until the kernel refuses one: that is sent again piece by
 * piece, and from then on each packet is a datagram of its own. A send almost always leaves at
 * once; if not, the store's extents that it reads from are pinned until it has, and the port has no
 * room meanwhile.
 *
 * <p>An <b>asynchronous</b> socket (io_uring's) sends in the kernel's own time. Its sends are
 * always pinned until they are over, up to {@link #SENDS_MAX} bursts of them at a time, and it
 * closes when they are. Netty's connect would end in a later turn too, so such a socket is
 * connected past Netty, which the system does at once, and its packets are addressed one by one. A
 * read of it is a chain of {@link #READS_AT_ONCE}, of which the first waits for a datagram and the
 * others take what is there by then; it has its buffer from when it begins to wait, so the port has
 * receive buffers of its own.
 *
 * <p>Receiving: with GRO by {@code recvmsg}, never with {@code recvmmsg} beside it, which loses the
 * segment size (Netty issue 17492). Netty hands up one slice a segment, in the order in which they
 * lie in the buffer, so where each lies is a running sum.
 */
public final class DatagramPort extends RtPort {
  private static final InternalLogger LOGGER =
      InternalLoggerFactory.getInstance(DatagramPort.class);
  private static final ChannelOption<Boolean> UDP_GRO = ChannelOption.valueOf("UDP_GRO");
  private static final ChannelOption<Boolean> IP_RECVORIGDSTADDR =
      ChannelOption.valueOf("IP_RECVORIGDSTADDR");

  private static final ChannelOption<Integer> MAX_DATAGRAM_PAYLOAD_SIZE =
      ChannelOption.valueOf("MAX_DATAGRAM_PAYLOAD_SIZE");

  private static final int SMALL_CAPACITY = 2_048;

  /** Bursts on their way into an asynchronous socket: enough to go on while the kernel works. */
  static final int SENDS_MAX = 16;

  /**
   * Datagrams that one read of an asynchronous socket may bring: as many as there are reads in
   * another's batch.
   */
  static final int READS_AT_ONCE = 16;

  private static final int[] NO_TOKENS = {};

  private final DatagramChannel socket;
  private final PortContext context;
  private InetSocketAddress remote;
  private boolean segments;
  private final PortReadAllocator reads;
  private final boolean batches;
  private final boolean isAsynchronous;
  private final ReceiveBuffers receiveBuffers;
  private final ChannelFutureListener tellsFailure = sent -> onFailure(sent.cause());
  private final List<SegmentRun> runs = new ArrayList<>();
  private long refusedRuns;
  private long sendCalls;
  private int queuedSends;
  private InetSocketAddress local;
  private boolean isClosing;
  private FinalCloseSender lastWords;
  private AddressPorts addresses;

  private DatagramPort(DatagramChannel socket, PortContext context, PortConfig config) {
    this.socket = socket;
    this.context = context;
    boolean coalesces = config.offload() && socket.config().setOption(UDP_GRO, true);
    this.segments = config.offload() && Offload.canSegment(socket);
    this.batches = Offload.isBatching(socket);
    this.isAsynchronous = Offload.isAsynchronous(socket);
    this.receiveBuffers = isAsynchronous ? new ReceiveBuffers() : context.receiveBuffers();
    int capacity = Math.max(SMALL_CAPACITY, config.datagramLengthBytesMax());
    lengthsMax(
        config.isWhole() && Fragmentation.forbid(socket),
        coalesces ? ReceiveBuffers.COALESCED_LENGTH : capacity);
    if (isAsynchronous) {
      socket.config().setOption(MAX_DATAGRAM_PAYLOAD_SIZE, capacity);
      capacity *= READS_AT_ONCE;
    }
    this.reads =
        new PortReadAllocator(
            receiveBuffers,
            coalesces ? ReceiveBuffers.COALESCED_LENGTH : capacity,
            coalesces,
            isAsynchronous ? READS_AT_ONCE : 1, // the read behind a chain would wait
            context::mustEmptySockets);
    socket.config().setRecvByteBufAllocator(reads);
    if (config.receiveBufferBytes() > 0) {
      socket.config().setReceiveBufferSize(config.receiveBufferBytes());
    }
    if (config.sendBufferBytes() > 0) {
      socket.config().setSendBufferSize(config.sendBufferBytes());
    }
    socket.config().setReuseAddress(config.reuseAddress());
    if (config.trafficClass() != 0) {
      trafficClass(config.trafficClass());
    }
    if (config.sharesPort()) {
      share();
    }
    socket.pipeline().addLast(new Receiver());
  }

  /** Ports over sockets that {@code sockets} makes. */
  public static PortFactory factory(Supplier<? extends DatagramChannel> sockets) {
    return (context, config, local, remote) -> open(sockets.get(), context, config, local, remote);
  }

  private static RtPort open(
      DatagramChannel socket,
      PortContext context,
      PortConfig config,
      InetSocketAddress local,
      InetSocketAddress remote)
      throws Exception {
    DatagramPort port = new DatagramPort(socket, context, config);
    ChannelFuture registered = context.loop().register(socket);
    if (!registered.isSuccess()) {
      closeQuietly(socket);
      throw causeOf(registered, "register");
    }
    try {
      if (remote == null || local != null || port.isAsynchronous) {
        await(socket.bind(local == null ? new InetSocketAddress(0) : local), "bind");
      }
      port.local = (InetSocketAddress) socket.unsafe().localAddress();
      if (remote != null) {
        port.connect(remote);
      }
    } catch (Exception e) {
      closeQuietly(socket);
      throw e;
    }
    return port;
  }

  @Override
  public void connect(InetSocketAddress newRemote) throws Exception {
    if (isAsynchronous) {
      Socket descriptor = (Socket) ((UnixChannel) socket).fd();
      if (!descriptor.connect(newRemote)) {
        throw new ConnectException("socket did not connect at once: " + newRemote);
      }
      local = descriptor.localAddress();
    } else {
      await(socket.connect(newRemote), "connect");
      local = (InetSocketAddress) socket.unsafe().localAddress(); // now that of the way there
    }
    remote = newRemote;
  }

  @Override
  public void trafficClass(int value) {
    socket.config().setTrafficClass(value);
  }

  /** On its own event loop a datagram socket does all this at once. */
  private static void await(ChannelFuture future, String what) throws Exception {
    if (!future.isSuccess()) {
      throw causeOf(future, what);
    }
  }

  private static void closeQuietly(Channel socket) {
    socket.unsafe().closeForcibly();
  }

  private static Exception causeOf(ChannelFuture future, String what) {
    Throwable cause = future.cause();
    if (cause instanceof Exception exception) {
      return exception;
    }
    return new IllegalStateException(
        "socket did not " + what + " at once on its own event loop", cause);
  }

  @Override
  public InetSocketAddress localAddress() {
    return local;
  }

  @Override
  public InetSocketAddress remoteAddress() {
    return remote;
  }

  @Override
  public boolean hasRoom() {
    return queuedSends < (isAsynchronous ? SENDS_MAX : 1);
  }

  @Override
  public long socketCalls() {
    return sendCalls + reads.reads();
  }

  @Override
  protected boolean isEmptied() {
    return reads.isEmptied();
  }

  @Override
  public boolean readsInPieces() {
    return isAsynchronous;
  }

  @Override
  public long refusedSegmentSends() {
    return refusedRuns;
  }

  @Override
  public void send(PacketBurst burst, InetSocketAddress to) {
    if (lastWords != null) {
      lastWords.send(burst, remote == null ? to : remote);
      return;
    }
    int count = burst.count();
    int last = BurstEnd.sent(burst);
    if (last < 0) {
      return;
    }
    int lastStored = BurstEnd.stored(burst);
    InetSocketAddress recipient = recipient(to);
    ChannelPromise promise = null; // of the last of those that are written
    int i = 0;
    while (i < count) {
      if (burst.isDropped(i)) {
        i++;
        continue;
      }
      int end = segments ? SegmentRun.end(burst, i) : i + 1;
      Object message = messageOf(burst, i, end, recipient); // null: that datagram is a lost one
      if (message != null) {
        boolean isRun = end - i > 1;
        ChannelPromise sent =
            isRun || isAsynchronous || end > lastStored
                ? socket.newPromise()
                : socket.voidPromise();
        if (isRun) {
          int lengthBytes = burst.offset(end - 1) + burst.length(end - 1) - burst.offset(i);
          runs.add(new SegmentRun(sent, burst.offset(i), lengthBytes, burst.length(i), recipient));
        }
        if (end <= last && (isAsynchronous || !isRun && !sent.isVoid())) {
          sent.addListener(tellsFailure);
        }
        socket.write(message, sent);
        promise = sent.isVoid() ? promise : sent;
      }
      sendCalls += batches ? 0 : 1;
      i = end;
    }
    sendCalls += batches ? 1 : 0;
    socket.flush();
    checkRuns();
    if (promise == null) {
      return;
    }
    if (!promise.isDone()) {
      waitFor(promise, burst);
    } else {
      onFailure(promise.cause());
    }
  }

  private void checkRuns() {
    while (!runs.isEmpty()) {
      SegmentRun run = runs.remove(0); // first: a flush may lead to another send, and back to here
      if (run.sent().isDone()) {
        checkRun(run);
      } else {
        run.sent().addListener(sent -> checkRun(run)); // while its bytes are pinned
      }
    }
  }

  /** What the kernel refused to cut is cut here, and so is all from now on: nothing is lost. */
  private void checkRun(SegmentRun run) {
    if (!run.isRefused()) {
      return;
    }
    if (segments) {
      LOGGER.warn("{}: no GSO from now on, for the kernel refused it", socket, run.sent().cause());
    }
    segments = false;
    refusedRuns++;
    int end = run.offset() + run.lengthBytes();
    for (int at = run.offset(); at < end; at += run.segmentBytes()) {
      int length = Math.min(run.segmentBytes(), end - at);
      ByteBuf content = copy(context.store().memory(), at, length);
      if (content != null) {
        socket.write(addressed(content, run.to()), socket.voidPromise());
      }
    }
    sendCalls++;
    socket.flush();
  }

  /** A send has ended, with null well. */
  private void onFailure(Throwable cause) {
    if (cause == null) {
      return;
    }
    if (cause instanceof PortUnreachableException || isRefusal(cause)) {
      context.listener().onUnreachable(this);
    } else if (!(cause instanceof ClosedChannelException)) {
      // A datagram that was not sent is a lost one, which the window sends again.
      LOGGER.debug("{}: {}", socket, cause.toString());
    }
  }

  /** As it looks where Netty does not know that the socket is connected. */
  private boolean isRefusal(Throwable cause) {
    return remote != null
        && cause instanceof NativeIoException e
        && e.expectedErr() == Errors.ERROR_ECONNREFUSED_NEGATIVE;
  }

  /** Whom to name in a packet for {@code to}: nobody where the socket knows. */
  private InetSocketAddress recipient(InetSocketAddress to) {
    if (remote == null) {
      return to;
    }
    return isAsynchronous ? remote : null;
  }

  private static Object addressed(ByteBuf content, InetSocketAddress recipient) {
    return recipient == null ? content : new DatagramPacket(content, recipient);
  }

  /** Null where there is no memory for a copy of it. */
  private Object messageOf(PacketBurst burst, int first, int end, InetSocketAddress recipient) {
    ByteBuf content;
    if (burst.token(first) == PacketBurst.TRANSIENT) {
      content = copy(burst.buffer(first), burst.offset(first), burst.length(first));
      if (content == null) {
        return null;
      }
    } else {
      int start = burst.offset(first);
      int length = burst.offset(end - 1) + burst.length(end - 1) - start;
      content = context.storeBytes().retainedSlice(start, length);
    }
    if (end - first > 1) {
      // A connected socket needs no recipient; the class wants one address or the other.
      return new SegmentedDatagramPacket(
          content, burst.length(first), recipient, recipient == null ? localAddress() : null);
    }
    return addressed(content, recipient);
  }

  /** Null, and so a lost datagram, where there is no memory for it. */
  private ByteBuf copy(ByteBuffer buffer, int offset, int length) {
    ByteBuf copy;
    try {
      copy = socket.alloc().directBuffer(length, length);
    } catch (OutOfMemoryError e) {
      LOGGER.debug("{}: {}", socket, e.toString());
      return null;
    }
    ByteBuffer target = copy.internalNioBuffer(0, length);
    target.put(target.position(), buffer, offset, length);
    return copy.writerIndex(length);
  }

  private void waitFor(ChannelPromise promise, PacketBurst burst) {
    int[] tokens = new int[burst.count()];
    for (int i = 0; i < tokens.length; i++) {
      tokens[i] = burst.isDropped(i) ? PacketBurst.TRANSIENT : burst.token(i);
      if (tokens[i] != PacketBurst.TRANSIENT) {
        context.store().pin(tokens[i]);
      }
    }
    waitFor(promise, tokens);
  }

  private void waitFor(ChannelPromise promise, int[] tokens) {
    queuedSends++;
    promise.addListener(sent -> onSent(sent.cause(), tokens));
  }

  private void onSent(Throwable failure, int[] tokens) {
    for (int token : tokens) {
      if (token != PacketBurst.TRANSIENT) {
        context.store().unpin(token);
      }
    }
    boolean wasFull = !hasRoom();
    queuedSends--;
    onFailure(failure);
    if (isClosing && queuedSends == 0) {
      socket.close();
    } else if (wasFull && hasRoom() && socket.isActive()) {
      context.listener().onRoom(this);
    }
  }

  @Override
  public void send(ByteBuffer buffer, int offset, int length, InetSocketAddress to) {
    if (!hasRoom()) {
      return;
    }
    ByteBuf content = copy(buffer, offset, length);
    if (content == null) {
      return;
    }
    sendCalls++;
    ChannelPromise promise = isAsynchronous ? socket.newPromise() : socket.voidPromise();
    socket.writeAndFlush(addressed(content, recipient(to)), promise);
    if (isAsynchronous) {
      waitFor(promise, NO_TOKENS);
    }
  }

  @Override
  public void share() {
    if (!PortSharing.allow(socket)) {
      throw new UnsupportedOperationException(
          "a socket of "
              + socket.getClass().getSimpleName()
              + " cannot share its port here (SO_REUSEPORT)");
    }
  }

  @Override
  public void addresses(AddressPorts ports) {
    addresses = ports;
    socket.config().setOption(IP_RECVORIGDSTADDR, true); // epoll's, and of IPv4 only
  }

  /** The port at the address that a datagram came to. */
  private RtPort portAt(InetSocketAddress asked) {
    boolean isTold = asked != null && !asked.getAddress().isAnyLocalAddress();
    return addresses.at(isTold ? asked.getAddress() : null);
  }

  @Override
  protected void close() {
    isClosing = true; // the kernel drops what it has not sent when an asynchronous socket closes
    if (!isAsynchronous || queuedSends == 0) {
      socket.close();
    }
  }

  /** The socket's only handler. */
  private final class Receiver extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      DatagramPacket packet = (DatagramPacket) message;
      try {
        ByteBuf content = packet.content();
        ReceiveBuffer buffer = receiveBuffers.find(content);
        assert buffer != null : "a read brought bytes from elsewhere";
        int offset = isAsynchronous ? buffer.offsetOf(content) : buffer.nextOffset;
        int length = content.readableBytes();
        buffer.nextOffset = offset + length;
        if (isUsed()) { // else it only sends what is left
          RtPort port = addresses == null ? DatagramPort.this : portAt(packet.recipient());
          context.listener().onPacket(port, buffer, offset, length, packet.sender());
        }
      } finally {
        packet.release();
      }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
      receiveBuffers.readComplete();
      context.listener().onReadComplete(DatagramPort.this);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      lastWords = isUsed() ? new FinalCloseSender(context.loop(), local) : null;
      try {
        context.listener().onClosed(DatagramPort.this);
      } finally {
        if (lastWords != null) {
          lastWords.close();
          lastWords = null;
        }
        if (isAsynchronous) {
          receiveBuffers.close();
        }
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      onFailure(cause);
    }
  }
}
