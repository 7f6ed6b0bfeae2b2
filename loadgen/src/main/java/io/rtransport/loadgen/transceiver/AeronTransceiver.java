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
 * Aeron over UDP as its guides advise for a machine with few processors: the Java media driver
 * beside each side in the same process, either shared (sender, receiver and conductor in one thread
 * that backs off when idle) or invoked by the application's thread, which spins. Exclusive
 * publications; the way back is a response channel, on a second port of the server, so that nobody
 * need know a client's address.
 */
final class AeronTransceiver implements Transceiver {
  /** The longest that Aeron sends: without a path MTU to respect it is the fastest. */
  static final int MTU_BYTES_MAX = 65_504;

  /** Lengths of datagrams are a multiple of it. */
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

  /** Aeron's own default, unless the user asks to see what the other choice gives. */
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
  public InetSocketAddress listen(EventLoopGroup group, InetSocketAddress at) throws Exception {
    IoEventLoop first = (IoEventLoop) group.next();
    AeronNode started = start(first);
    responsePort = freePort(at.getAddress());
    return first.submit(() -> bind(started.client(), group, at)).get();
  }

  private InetSocketAddress bind(Aeron client, EventLoopGroup group, InetSocketAddress at) {
    String responses = text(new InetSocketAddress(at.getAddress(), responsePort));
    Subscription requests =
        client.addSubscription(
            udp().endpoint(text(at)).responseEndpoint(responses).build(),
            REQUESTS,
            image -> {
              // Of all that may not be done in this callback, adding the way back is one.
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
      EventLoop loop, InetSocketAddress to, int connection, Session.Listener listener) {
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

  /** One node of all loops; an invoked one has only one loop, which runs it. */
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

  /** Of a socket that is closed again: Aeron wants to be told the port, since clients must be. */
  private static int freePort(InetAddress address) throws IOException {
    try (DatagramChannel probe = DatagramChannel.open()) {
      probe.bind(new InetSocketAddress(address, 0));
      return ((InetSocketAddress) probe.getLocalAddress()).getPort();
    }
  }

  /** One for all connections of an event loop. */
  private MessageContents contents(EventLoop loop) {
    return contents.computeIfAbsent(
        loop, one -> new MessageContents(settings.seed(), settings.sizes().sizeBytesMax()));
  }

  @Override
  public IntegrityCounts received() throws Exception {
    return ledger.received();
  }

  /** Only the driver knows its datagrams and system calls, and does not count them. */
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

  /** The loops first: the memory that they read goes with the node. */
  @Override
  public void close() throws Exception {
    for (Registered each : duties) {
      if (!each.loop.submit(each.duty::cancel).await(1, TimeUnit.SECONDS)) {
        return; // a loop that hangs keeps its memory, and the directory goes with the JVM
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
