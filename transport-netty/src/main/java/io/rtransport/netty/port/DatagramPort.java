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
import io.netty.channel.unix.SegmentedDatagramPacket;
import io.netty.channel.unix.Socket;
import io.netty.channel.unix.UnixChannel;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.rtransport.core.burst.PacketBurst;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Port over one of Netty's datagram sockets.
 *
 * <p>Sending: packets of equal length that lie end to end in the retransmission store go out as one
 * GSO send, if the socket has GSO. If the kernel refuses such a send, its packets are sent again
 * one by one, and from then on each packet is one datagram. A send almost always leaves at once. If
 * not, the store's extents that it reads are pinned until it has left, and the port has no room
 * meanwhile.
 *
 * <p>An <b>asynchronous</b> socket (io_uring's) sends in the kernel's own time. Its sends are
 * always pinned until they are over, up to {@link #SENDS_MAX} bursts at a time. The socket closes
 * only when they are over. Netty's connect would also end in a later turn. So the port connects the
 * socket past Netty, which the system does at once, and addresses each packet. A read of such a
 * socket is a chain of {@link #READS_AT_ONCE} reads. The first waits for a datagram, and the others
 * take those that are there by then. A read has its buffer from the beginning of the wait, so the
 * port has its own receive buffers.
 *
 * <p>Receiving: GRO works with {@code recvmsg} only, never together with {@code recvmmsg}, which
 * loses the segment size (Netty issue 17492). Netty gives one slice for each segment, in the order
 * in which the segments lie in the buffer. So the place of a segment is a running sum.
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

  /**
   * Limit of the bursts on their way into an asynchronous socket. It lets the port go on while the
   * kernel works.
   */
  static final int SENDS_MAX = 16;

  /**
   * Limit of the datagrams of one read of an asynchronous socket: the number of reads in a batch of
   * another socket.
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
  private final ChannelFutureListener tellsFailure = sent -> onFailure(sent.cause(), null);
  private final List<SegmentRun> runs = new ArrayList<>();
  private long refusedRuns;
  private long sendCalls;
  private int queuedSends;
  private InetSocketAddress local;
  private boolean isNumberFree;
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

  /** Returns a factory of ports over sockets that {@code sockets} makes. */
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
      port.isNumberFree = local == null || local.getPort() == 0;
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
      local = (InetSocketAddress) socket.unsafe().localAddress(); // now of the route to it
    }
    remote = newRemote;
  }

  @Override
  public boolean isNumberFree() {
    return isNumberFree;
  }

  @Override
  public void trafficClass(int value) {
    socket.config().setTrafficClass(value);
  }

  /** Checks that {@code future} is done: on its own event loop a datagram socket acts at once. */
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
    ChannelPromise promise = null; // of the last packet that is written
    int i = 0;
    while (i < count) {
      if (burst.isDropped(i)) {
        i++;
        continue;
      }
      int end = segments ? SegmentRun.end(burst, i) : i + 1;
      Object message = messageOf(burst, i, end, recipient); // null: this datagram is lost
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
      waitFor(promise, burst, to);
    } else {
      onFailure(promise.cause(), to);
    }
  }

  private void checkRuns() {
    while (!runs.isEmpty()) {
      SegmentRun run = runs.remove(0); // first: a flush may send, and call this method
      if (run.sent().isDone()) {
        checkRun(run);
      } else {
        run.sent().addListener(sent -> checkRun(run)); // while its bytes are pinned
      }
    }
  }

  /**
   * Cuts a run that the kernel refused to cut, and all runs from now on, into single packets.
   * Nothing is lost.
   */
  private void checkRun(SegmentRun run) {
    if (!run.isRefused()) {
      return;
    }
    if (segments) {
      LOGGER.warn("{}: no GSO from now on, for the kernel refused it", socket, run.sent().cause());
    }
    segments = false;
    refusedRuns++;
    ByteBuffer store = context.storeBytes().nioBuffer(0, context.storeBytes().capacity());
    int end = run.offset() + run.lengthBytes();
    for (int at = run.offset(); at < end; at += run.segmentBytes()) {
      int length = Math.min(run.segmentBytes(), end - at);
      ByteBuf content = copy(store, at, length);
      if (content != null) {
        socket.write(addressed(content, run.to()), socket.voidPromise());
      }
    }
    sendCalls++;
    socket.flush();
  }

  /**
   * Takes the end of a send.
   *
   * @param cause null after success
   * @param to where the datagram was sent to; null if that is not known
   */
  private void onFailure(Throwable cause, InetSocketAddress to) {
    if (cause == null) {
      return;
    }
    PortError error = PortError.of(cause);
    if (error.failure() != null) {
      context.listener().onSendFailed(this, remote == null ? to : remote, error);
    } else if (error != PortError.CLOSED) {
      // A datagram that was not sent is lost; the window sends it again.
      LOGGER.debug("{}: {}", socket, cause.toString());
    }
  }

  /** Returns the address that a packet for {@code to} must name; null if the socket knows it. */
  private InetSocketAddress recipient(InetSocketAddress to) {
    if (remote == null) {
      return to;
    }
    return isAsynchronous ? remote : null;
  }

  private static Object addressed(ByteBuf content, InetSocketAddress recipient) {
    return recipient == null ? content : new DatagramPacket(content, recipient);
  }

  /**
   * Returns the message of packets {@code first} to {@code end}; null if there is no memory for a
   * copy.
   */
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

  /** Returns a copy; null if there is no memory for it, so the datagram is lost. */
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

  private void waitFor(ChannelPromise promise, PacketBurst burst, InetSocketAddress to) {
    int[] tokens = new int[burst.count()];
    for (int i = 0; i < tokens.length; i++) {
      tokens[i] = burst.isDropped(i) ? PacketBurst.TRANSIENT : burst.token(i);
      if (tokens[i] != PacketBurst.TRANSIENT) {
        context.pin(tokens[i]);
      }
    }
    waitFor(promise, tokens, to);
  }

  private void waitFor(ChannelPromise promise, int[] tokens, InetSocketAddress to) {
    queuedSends++;
    promise.addListener(sent -> onSent(sent.cause(), tokens, to));
  }

  private void onSent(Throwable failure, int[] tokens, InetSocketAddress to) {
    for (int token : tokens) {
      if (token != PacketBurst.TRANSIENT) {
        context.unpin(token);
      }
    }
    boolean wasFull = !hasRoom();
    queuedSends--;
    onFailure(failure, to);
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
      waitFor(promise, NO_TOKENS, to);
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
    socket.config().setOption(IP_RECVORIGDSTADDR, true); // epoll's option, for IPv4 only
  }

  /** Returns the port at the address that a datagram came to. */
  private RtPort portAt(InetSocketAddress asked) {
    boolean isTold = asked != null && !asked.getAddress().isAnyLocalAddress();
    return addresses.at(isTold ? asked.getAddress() : null);
  }

  @Override
  protected void close() {
    isClosing = true; // an asynchronous socket that closes drops its unsent datagrams
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
        if (isUsed()) { // else the port only sends the rest
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
      onFailure(cause, null);
    }
  }
}
