package io.rtransport.loadgen.transceiver;

import io.aeron.Aeron;
import io.aeron.ChannelUri;
import io.aeron.ChannelUriStringBuilder;
import io.aeron.CommonContext;
import io.aeron.ExclusivePublication;
import io.aeron.Image;
import io.aeron.Subscription;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.rtransport.loadgen.transceiver.AeronNode.Drive;
import io.rtransport.loadgen.workload.IntegrityCounts;
import io.rtransport.loadgen.workload.MessageContents;
import io.rtransport.loadgen.workload.Session;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.DatagramChannel;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Aeron over UDP as its guides advise for a machine with few processors. The Java media driver runs
 * in the same process as each side. Either it is shared (sender, receiver and conductor in one
 * thread that backs off when idle), or the application's thread invokes it and spins. Publications
 * are exclusive. The way back is a response channel, on a second port of the server, so that no
 * side needs to know a client's address.
 */
final class AeronTransceiver implements Transceiver {
  /** Longest datagram of Aeron, which is the fastest if no path MTU must be respected. */
  static final int MTU_BYTES_MAX = 65_504;

  /** Unit of the lengths of datagrams. */
  private static final int MTU_STEP_BYTES = 32;

  private static final int REQUESTS = 1;
  private static final int RESPONSES = 2;
  private static final String IDLE_PROPERTY = "rt.load.aeron.idle";

  private record Registered(EventLoop loop, IoRegistration duty) {}

  private final TransceiverSettings settings;
  private final Drive drive;
  private final PollingIoHandler.Idle idle;
  private final Ledger ledger = new Ledger();
  private final Map<EventLoop, MessageContents> contents = new ConcurrentHashMap<>();
  private final Set<Registered> duties = ConcurrentHashMap.newKeySet();
  private AeronNode node;
  private volatile int responsePort;

  AeronTransceiver(TransceiverSettings settings, Drive drive) {
    this.settings = settings;
    this.drive = drive;
    this.idle = drive == Drive.INVOKED ? PollingIoHandler.Idle.SPIN : sharedIdle();
  }

  /** Returns Aeron's own default, unless the user asks for the other choice. */
  private static PollingIoHandler.Idle sharedIdle() {
    return "yield".equals(System.getProperty(IDLE_PROPERTY))
        ? PollingIoHandler.Idle.YIELD
        : PollingIoHandler.Idle.BACK_OFF;
  }

  @Override
  public EventLoopGroup loops(int threads) {
    return new MultiThreadIoEventLoopGroup(
        threads,
        new DefaultThreadFactory(Sockets.LOOP_THREAD_PREFIX, true),
        PollingIoHandler.newFactory(idle));
  }

  @Override
  public List<InetSocketAddress> listen(EventLoopGroup group, InetSocketAddress at)
      throws Exception {
    IoEventLoop first = (IoEventLoop) group.next();
    AeronNode started = start(first);
    responsePort = freePort(at.getAddress());
    return List.of(first.submit(() -> bind(started.client(), group, at)).get());
  }

  private InetSocketAddress bind(Aeron client, EventLoopGroup group, InetSocketAddress at) {
    String responses = text(new InetSocketAddress(at.getAddress(), responsePort));
    Subscription requests =
        client.addSubscription(
            udp().endpoint(text(at)).responseEndpoint(responses).build(),
            REQUESTS,
            image -> {
              // This callback forbids several calls, among them adding the way back.
              IoEventLoop loop = (IoEventLoop) group.next();
              loop.execute(() -> serve(client, loop, image, responses));
            },
            image -> {});
    // Holds the port of the responses while there are none.
    ChannelUriStringBuilder prototype = responses(responses);
    client.addExclusivePublication(
        prototype.responseCorrelationId(CommonContext.PROTOTYPE_CORRELATION_ID).build(), RESPONSES);
    String bound = requests.tryResolveChannelEndpointPort();
    for (; bound == null; bound = requests.tryResolveChannelEndpointPort()) {
      Thread.onSpinWait();
    }
    String endpoint = ChannelUri.parse(bound).get(CommonContext.ENDPOINT_PARAM_NAME);
    int port = Integer.parseInt(endpoint.substring(endpoint.lastIndexOf(':') + 1));
    return new InetSocketAddress(at.getAddress(), port);
  }

  private void serve(Aeron client, IoEventLoop loop, Image image, String responses) {
    ExclusivePublication back =
        client.addExclusivePublication(
            responses(responses).responseCorrelationId(image.correlationId()).build(), RESPONSES);
    register(loop, new AeronServed(settings.op(), contents(loop), ledger.open(loop), image, back));
  }

  @Override
  public List<Integer> sidePorts() {
    return List.of(responsePort);
  }

  @Override
  public void useSidePorts(List<Integer> ports) {
    responsePort = ports.get(0);
  }

  @Override
  public Future<Session> connect(
      EventLoop loop, List<InetSocketAddress> targets, int connection, Session.Listener listener) {
    InetSocketAddress to = targets.get(0);
    Promise<Session> connected = loop.newPromise();
    loop.execute(
        () -> {
          try {
            open((IoEventLoop) loop, to, listener, connected);
          } catch (Exception e) {
            connected.tryFailure(e);
          }
        });
    return connected;
  }

  private void open(
      IoEventLoop loop, InetSocketAddress to, Session.Listener listener, Promise<Session> connected)
      throws Exception {
    Aeron client = start(loop).client();
    Subscription responses =
        client.addSubscription(
            responses(text(new InetSocketAddress(to.getAddress(), responsePort))).build(),
            RESPONSES);
    ExclusivePublication requests =
        client.addExclusivePublication(
            udp().endpoint(text(to)).responseCorrelationId(responses.registrationId()).build(),
            REQUESTS);
    register(
        loop,
        new AeronSession(
            settings.op(),
            contents(loop),
            ledger.open(loop),
            listener,
            connected,
            requests,
            responses));
  }

  /** Starts one node for all loops. An invoked node has only one loop, which runs it. */
  private synchronized AeronNode start(IoEventLoop loop) throws IOException {
    if (node == null) {
      AeronNode started =
          new AeronNode(
              drive,
              idle,
              mtuBytes(),
              (long) settings.windowPackets() * mtuBytes(),
              settings.connections(),
              settings.sizes().sizeBytesMax());
      node = started;
      if (drive == Drive.INVOKED) {
        register(loop, started::invoke);
      }
    }
    return node;
  }

  private void register(IoEventLoop loop, PollDuty duty) {
    loop.register(duty)
        .addListener(
            (Future<IoRegistration> done) -> duties.add(new Registered(loop, done.getNow())));
  }

  private int mtuBytes() {
    int bytes = settings.mtuBytes() == 0 ? MTU_BYTES_MAX : settings.mtuBytes();
    return bytes / MTU_STEP_BYTES * MTU_STEP_BYTES;
  }

  private static ChannelUriStringBuilder udp() {
    return new ChannelUriStringBuilder().media("udp");
  }

  private static ChannelUriStringBuilder responses(String control) {
    return udp().controlMode(CommonContext.CONTROL_MODE_RESPONSE).controlEndpoint(control);
  }

  private static String text(InetSocketAddress address) {
    String host = address.getAddress().getHostAddress();
    boolean isSix = address.getAddress() instanceof Inet6Address;
    return (isSix ? "[" + host + "]" : host) + ":" + address.getPort();
  }

  /**
   * Returns the port of a socket that is closed again. Aeron must be told the port, because clients
   * must be.
   */
  private static int freePort(InetAddress address) throws IOException {
    try (DatagramChannel probe = DatagramChannel.open()) {
      probe.bind(new InetSocketAddress(address, 0));
      return ((InetSocketAddress) probe.getLocalAddress()).getPort();
    }
  }

  /** Returns the contents for all connections of an event loop. */
  private MessageContents contents(EventLoop loop) {
    return contents.computeIfAbsent(
        loop, one -> new MessageContents(settings.seed(), settings.sizes().sizeBytesMax()));
  }

  @Override
  public IntegrityCounts received() throws Exception {
    return ledger.received();
  }

  /**
   * Returns unknown counts: only the driver knows its datagrams and system calls, and does not
   * count them.
   */
  @Override
  public TransferCounts transferCounts() {
    long unknown = TransferCounts.UNKNOWN;
    return new TransferCounts(unknown, unknown, unknown, unknown);
  }

  @Override
  public Map<String, Object> details() {
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("mtu", mtuBytes());
    details.put("gso", false);
    synchronized (this) {
      details.put("retransmits.early", node == null ? 0 : node.retransmits());
    }
    return details;
  }

  /** Ends the loops first: the memory that they read is released with the node. */
  @Override
  public void close() throws Exception {
    for (Registered each : duties) {
      if (!each.loop.submit(each.duty::cancel).await(1, TimeUnit.SECONDS)) {
        return; // a hanging loop keeps its memory until the JVM ends
      }
    }
    synchronized (this) {
      if (node != null) {
        node.close();
        node = null;
      }
    }
  }
}
