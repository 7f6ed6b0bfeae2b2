package io.rtransport.simulator;

import static io.rtransport.simulator.InvariantViolation.require;

import io.rtransport.core.connection.CloseReason;
import io.rtransport.core.connection.Connection;
import io.rtransport.core.transaction.Outcome;
import io.rtransport.core.transaction.PayloadSource;
import io.rtransport.core.wire.PacketBurst;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongConsumer;

/**
 * One side of a scenario's connection with its application: pushes that are numbered, answers to
 * pulls, every byte and every end checked.
 */
final class ScenarioPeer
    implements ConnectionListener,
        PayloadSink,
        PayloadSource,
        TransactionListener,
        ConnectionDriver.Wire {
  private static final int HEADER_BYTES = Long.BYTES;
  private static final long PULL_TAG = 1L << 40;

  /** A message on its way in. */
  private static final class Arriving {
    private final long number;
    private final long lengthBytes;
    private long writtenBytes;

    Arriving(long number, long lengthBytes) {
      this.number = number;
      this.lengthBytes = lengthBytes;
    }
  }

  private final ScenarioNet net;
  private final ScenarioNet.Host host;
  final Connection connection;
  private final Map<Long, Arriving> arriving = new HashMap<>();
  private final Set<Long> takenNumbers = new HashSet<>();
  private final Set<Long> endedTags = new HashSet<>();
  private final ArrayDeque<long[]> waiting = new ArrayDeque<>();
  private final ArrayDeque<Long> unacknowledged = new ArrayDeque<>();
  private long submitted;
  CloseReason reason;
  boolean isEstablished;
  boolean isSlow;

  /** Nothing follows what it asks for. */
  boolean isSilent;

  /** Called when a message has been handed up and acknowledged; null: nobody asks. */
  LongConsumer onDelivered;

  long reasonAtNs;
  long completed;
  long failed;
  long unknown;
  long pullsCompleted;
  long delivered;
  long deliveredBytes;
  long receivedBytes;
  long lastNumber = -1;

  ScenarioPeer(ScenarioNet net, ScenarioNet.Host host, Connection connection) {
    this.net = net;
    this.host = host;
    this.connection = connection;
    ConnectionDriver.attach(connection, this, this, this, this);
  }

  /** Pushes a message, as soon as there is room for it. */
  void push(long lengthBytes) {
    waiting.add(new long[] {submitted++, lengthBytes, 0});
    submit();
  }

  void push(int count, long lengthBytes) {
    for (int i = 0; i < count; i++) {
      waiting.add(new long[] {submitted++, lengthBytes, 0});
    }
    submit();
  }

  /** Pulls so many bytes. */
  void pull(long lengthBytes) {
    waiting.add(new long[] {submitted++, lengthBytes, 1});
    submit();
  }

  private void submit() {
    while (isEstablished && reason == null && !waiting.isEmpty()) {
      long[] next = waiting.peek();
      ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES).putLong(0, next[0]);
      boolean isTaken =
          next[2] == 0
              ? connection
                  .verbs()
                  .submitPush(this, next[0], next[1], header, 0, HEADER_BYTES, next[0])
              : ConnectionDriver.of(connection)
                  .submitPull(
                      new Answer(next[0], next[1]),
                      next[1],
                      header,
                      0,
                      HEADER_BYTES,
                      next[0] | PULL_TAG);
      if (!isTaken) {
        break;
      }
      waiting.poll();
    }
    ConnectionDriver.of(connection).flush(net.nowNs);
  }

  /** Everything that was begun has ended. */
  boolean isDone() {
    return waiting.isEmpty() && completed + pullsCompleted + failed + unknown == submitted;
  }

  void requireAllCompleted() {
    require(
        isDone() && failed == 0 && unknown == 0 && reason == null,
        Invariant.NO_LOSS,
        "of %d transactions %d completed, %d failed, %d are unknown; %d wait; %s",
        submitted,
        completed + pullsCompleted,
        failed,
        unknown,
        waiting.size(),
        reason);
  }

  /** A slow application goes on: the oldest message that it has is done with. */
  void acknowledgeOne() {
    Long rsn = unacknowledged.poll();
    if (rsn != null) {
      connection.verbs().acknowledge(rsn);
      ConnectionDriver.of(connection).flush(net.nowNs);
    }
  }

  void close() {
    if (reason == null) {
      ConnectionDriver.of(connection).close(0, "", net.nowNs);
      ConnectionDriver.of(connection).flush(net.nowNs);
    }
  }

  private static byte byteOf(long number, long offset) {
    return (byte) (number * 31 + offset * 7 + (offset >>> 8));
  }

  @Override
  public void onEstablished() {
    isEstablished = true;
    net.after(0, this::submit);
  }

  @Override
  public void onPeerFinished() {}

  @Override
  public void onClosed(CloseReason closeReason) {
    require(reason == null, Invariant.LIFE_CYCLE, "closed twice: %s, %s", reason, closeReason);
    reason = closeReason;
    reasonAtNs = net.nowNs;
    waiting.clear();
  }

  @Override
  public void transmit(PacketBurst burst, long atNs) {
    for (int i = 0; i < burst.count(); i++) {
      InetSocketAddress to = connection.remote(burst.pathIndex(i));
      host.send(burst.buffer(i), burst.offset(i), burst.length(i), to);
    }
  }

  @Override
  public boolean hasRoom(int pathIndex) {
    return true;
  }

  @Override
  public boolean mayHaveUnread() {
    return host.turns != null && host.turns.mayHaveUnread(connection.cid());
  }

  @Override
  public int copy(long handle, long offset, ByteBuffer to, int index, int length) {
    if (isSilent) {
      return 0;
    }
    for (int i = 0; i < length; i++) {
      to.put(index + i, byteOf(handle, offset + i));
    }
    return length;
  }

  @Override
  public long open(long rsn, long lengthBytes, ByteBuffer header, int index, int length) {
    require(length == HEADER_BYTES, Invariant.CONTENT, "a header of %d bytes", length);
    arriving.put(rsn, new Arriving(header.getLong(index), lengthBytes));
    return rsn;
  }

  @Override
  public int write(long handle, long offset, ByteBuffer from, int index, int length) {
    Arriving message = arriving.get(handle);
    requireContent(message.number, offset, from, index, length);
    message.writtenBytes += length;
    receivedBytes += length;
    return length;
  }

  private static void requireContent(
      long number, long offset, ByteBuffer from, int index, int length) {
    for (int i = 0; i < length; i++) {
      if (from.get(index + i) != byteOf(number, offset + i)) { // no arguments boxed for each byte
        require(false, Invariant.CONTENT, "byte %d of message %d", offset + i, number);
      }
    }
  }

  @Override
  public void deliver(long handle, boolean whole) {
    Arriving message = arriving.remove(handle);
    if (!whole) {
      return;
    }
    require(
        message.writtenBytes == message.lengthBytes,
        Invariant.CONTENT,
        "message %d delivered with %d of %d bytes",
        message.number,
        message.writtenBytes,
        message.lengthBytes);
    require(
        takenNumbers.add(message.number),
        Invariant.NO_DUPLICATE,
        "message %d is delivered twice",
        message.number);
    require(
        message.number > lastNumber || !connection.agreed().isOrdered(),
        Invariant.RSN_ORDER,
        "message %d behind %d",
        message.number,
        lastNumber);
    lastNumber = message.number;
    delivered++;
    deliveredBytes += message.lengthBytes;
    if (isSlow) {
      unacknowledged.add(handle);
    } else {
      connection.verbs().acknowledge(handle);
    }
    if (onDelivered != null) {
      onDelivered.accept(message.lengthBytes);
    }
  }

  @Override
  public void onPullRequest(
      long rsn, long lengthBytesMax, ByteBuffer header, int index, int length) {
    connection.verbs().respond(rsn, this, header.getLong(index), lengthBytesMax);
  }

  @Override
  public void onEnded(long tag, Outcome outcome, int code, String text) {
    require(endedTags.add(tag), Invariant.ONE_END, "transaction %d ended twice", tag);
    switch (outcome) {
      case COMPLETED -> {
        if (tag >= PULL_TAG) {
          pullsCompleted++;
        } else {
          completed++;
        }
      }
      case FAILED -> failed++;
      default -> unknown++;
    }
  }

  @Override
  public void onSubmittable() {
    net.after(0, this::submit);
  }

  /** Where a pull's answer goes. */
  private final class Answer implements PayloadSink {
    private final long number;
    private final long lengthBytes;
    private long writtenBytes;

    Answer(long number, long lengthBytes) {
      this.number = number;
      this.lengthBytes = lengthBytes;
    }

    @Override
    public long open(long rsn, long length, ByteBuffer header, int index, int headerLength) {
      return number;
    }

    @Override
    public int write(long handle, long offset, ByteBuffer from, int index, int length) {
      requireContent(number, offset, from, index, length);
      writtenBytes += length;
      return length;
    }

    @Override
    public void deliver(long handle, boolean whole) {
      require(
          !whole || writtenBytes == lengthBytes,
          Invariant.CONTENT,
          "an answer of %d bytes, of which %d came",
          lengthBytes,
          writtenBytes);
    }
  }
}
