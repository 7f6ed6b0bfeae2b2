package io.rtransport.core.connection;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.solicitation.NodeBudgets;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.time.DeadlineWheel;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.PayloadSource;
import io.rtransport.core.transaction.PushSupplier;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The whole core, both sides of it, without sockets: an operation is a mebibyte pushed in messages
 * of a length, from {@code submitPush} to the last completion. What is sent is copied into the
 * other side's buffer, as a kernel does it, and every payload is copied in and out, as an
 * application's is.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@State(Scope.Thread)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class ConnectionBenchmark {
  private static final int BYTES = 1 << 20;
  private static final int TURN_NS = 10_000;
  private static final int ROUNDS_MAX = 1_000_000;

  @Param({"64", "1024", "16384", "1048576"})
  private int messageBytes;

  private final ByteBuffer payload = ByteBuffer.allocateDirect(BYTES);
  private final ByteBuffer received = ByteBuffer.allocateDirect(BYTES);
  private final ByteBuffer noHeader = ByteBuffer.allocateDirect(0);
  private final Side client = new Side(7_400, 1);
  private final Side server = new Side(7_401, 2);
  private long nowNs = 1_000_000_000L;

  /**
   * One endpoint with its one connection, and what it has sent that the other has not yet received.
   */
  private final class Side implements PayloadSource {
    private static final int QUEUED_MAX = 4 * PacketBurst.CAPACITY;
    private static final int SLOT_BYTES = 1_408;

    private final InetSocketAddress address;
    private final Endpoint endpoint;
    private final ByteBuffer arriving = ByteBuffer.allocateDirect(QUEUED_MAX * SLOT_BYTES);
    private final PacketBurst burst = new PacketBurst();
    private final ArrayDeque<ByteBuffer> control = new ArrayDeque<>();
    private Side peer;
    private Connection connection;
    private final int[] lengths = new int[QUEUED_MAX];
    private int queued;
    private final OutboxEntry entry = new OutboxEntry();
    private boolean isEstablished;
    private long completed;

    Side(int port, long seed) {
      address = new InetSocketAddress("127.0.0.1", port);
      endpoint =
          new Endpoint(
              EndpointConfig.ofLoop(0),
              new LoopResources(new Random(seed)),
              NodeBudgets.defaults(),
              () -> {},
              new Random(seed + 100));
    }

    private void sendControl(ByteBuffer from, int offset, int length) {
      ByteBuffer copy = ByteBuffer.allocateDirect(length);
      copy.put(0, from, offset, length);
      peer.control.add(copy);
    }

    private void attach(Connection owned) {
      connection = owned;
      owned.attach(this, PushSupplier.NEVER, Limits.PACKET_LENGTH_MAX);
    }

    /** Takes what the connection has to say and to send. */
    private void drive() {
      drain();
      for (PacketBurst out = connection.pollTransmit(room(), nowNs);
          out != null;
          out = connection.pollTransmit(room(), nowNs)) {
        transmit(out);
      }
      drain();
    }

    private int room() {
      return peer.queued < PacketBurst.CAPACITY ? 1 : 0;
    }

    private void drain() {
      while (connection.poll(entry)) {
        switch (entry.kind()) {
          case ESTABLISHED -> isEstablished = true;
          case OPENED -> connection.verbs().accept(entry.rsn(), entry.rsn(), false, Long.MAX_VALUE);
          case BYTES -> {
            int at = (int) (entry.handle() * messageBytes + entry.messageOffset() & BYTES - 1);
            received.put(at, entry.buffer(), entry.offset(), entry.length());
            connection.verbs().taken(entry.rsn(), entry.length());
          }
          case DELIVERED -> connection.verbs().acknowledge(entry.rsn());
          case ENDED -> {
            if (entry.outcome() != Outcome.COMPLETED) {
              throw new IllegalStateException(entry.outcome() + " " + entry.text());
            }
            completed += entry.count();
          }
          case ROOM -> {
            // it tries each turn
          }
          default -> throw new IllegalStateException(entry.kind() + " " + entry.text());
        }
      }
    }

    private void expire() {
      endpoint.onTimeout(nowNs);
      for (Connection expired = endpoint.pollExpired(nowNs);
          expired != null;
          expired = endpoint.pollExpired(nowNs)) {
        expired.onTimeout(false, nowNs);
        drive();
      }
    }

    /** Takes what is on its way. Returns whether there was anything. */
    private boolean receive() {
      if (!control.isEmpty()) {
        ByteBuffer taken = control.poll();
        route(taken, 0, taken.capacity());
        return true;
      }
      int count = queued;
      if (count == 0) {
        return false;
      }
      for (int i = 0; i < count; i++) {
        burst.add(arriving, i * SLOT_BYTES, lengths[i], 0, PacketBurst.TRANSIENT);
        if (burst.isFull() || i == count - 1) {
          connection.receive(burst, nowNs);
          drain();
          burst.clear();
        }
      }
      queued = 0;
      drive();
      return true;
    }

    private void route(ByteBuffer from, int offset, int length) {
      Connection found = endpoint.route(from, offset, length, peer.address, nowNs);
      if (found == null) {
        ConnectionConfig accepting = ConnectionConfig.builder().build();
        int answerLength = endpoint.onStray(from, offset, length, peer.address, accepting, nowNs);
        if (answerLength > 0) {
          sendControl(endpoint.answer(), 0, answerLength);
        }
        return;
      }
      if (found.attachment() == null) {
        attach(found);
      }
      PacketBurst one = new PacketBurst();
      one.add(from, offset, length, 0, PacketBurst.TRANSIENT);
      found.receive(one, nowNs);
      drive();
    }

    private void transmit(PacketBurst out) {
      for (int i = 0; i < out.count(); i++) {
        if (peer.connection == null) {
          sendControl(out.buffer(i), out.offset(i), out.length(i));
        } else {
          peer.enqueue(out.buffer(i), out.offset(i), out.length(i));
        }
      }
    }

    private void enqueue(ByteBuffer from, int offset, int length) {
      arriving.put(queued * SLOT_BYTES, from, offset, length);
      lengths[queued++] = length;
    }

    @Override
    public int copy(long handle, long offset, ByteBuffer to, int index, int length) {
      to.put(index, payload, (int) (handle + offset), length);
      return length;
    }
  }

  /** Connects the two. */
  @Setup
  public void connect() {
    client.peer = server;
    server.peer = client;
    client.attach(
        client.endpoint.connect(ConnectionConfig.builder().build(), server.address, nowNs));
    client.drive();
    while (!client.isEstablished || server.connection == null) {
      turn();
    }
  }

  private void turn() {
    boolean isMoving = client.receive() | server.receive();
    nowNs += TURN_NS;
    if (!isMoving) {
      long next = Math.min(client.endpoint.nextDeadlineNs(), server.endpoint.nextDeadlineNs());
      nowNs = next == DeadlineWheel.NONE ? nowNs : Math.max(nowNs, next);
      client.expire();
      server.expire();
    }
    client.drive();
  }

  /** A mebibyte pushed, and completed. */
  @Benchmark
  public long push() {
    int messages = BYTES / messageBytes;
    long until = client.completed + messages;
    int submitted = 0;
    for (int i = 0; i < ROUNDS_MAX && client.completed < until; i++) {
      while (submitted < messages
          && client
              .connection
              .verbs()
              .submitPush(
                  client,
                  (long) submitted * messageBytes,
                  messageBytes,
                  noHeader,
                  0,
                  0,
                  submitted)) {
        submitted++;
      }
      turn();
    }
    if (client.completed != until) {
      throw new IllegalStateException("stuck at " + (until - client.completed) + " messages");
    }
    return client.completed;
  }
}
