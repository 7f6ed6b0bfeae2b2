package io.rtransport.simulator;

import static io.rtransport.simulator.InvariantViolation.require;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.connection.Connection;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.PayloadSource;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongConsumer;

/**
 * One side of a scenario's connection with its application. It sends numbered pushes, answers
 * pulls, and checks every byte and every end.
 */
final class ScenarioPeer implements Application, PayloadSource, Wire {
  private static final int HEADER_BYTES = Long.BYTES;
  private static final long PULL_TAG = 1L << 40;

  /** An inbound message. */
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
  private final Node node;
  final Connection connection;
  private final Map<Long, Arriving> arriving = new HashMap<>();
  private final Map<Long, Answer> answers = new HashMap<>();
  private final Set<Long> takenNumbers = new HashSet<>();
  private final Set<Long> endedTags = new HashSet<>();
  private final ArrayDeque<long[]> waiting = new ArrayDeque<>();
  private final ArrayDeque<Long> unacknowledged = new ArrayDeque<>();
  private long submitted;
  CloseReason reason;
  boolean isEstablished;
  boolean isSlow;

  /** Whether no data follows its requests. */
  boolean isSilent;

  /** Called when a message was handed up and acknowledged; null: no callback. */
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
    this.node = host.node; // A restarted host has another node.
    node.attach(connection, this, this);
  }

  /** Pushes a message as soon as there is room for it. */
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

  /** Pulls {@code lengthBytes} bytes. */
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
              : submitPull(next[0], next[1], header);
      if (!isTaken) {
        break;
      }
      waiting.poll();
    }
    node.flush(connection, net.nowNs);
  }

  private boolean submitPull(long number, long lengthBytes, ByteBuffer header) {
    long rsn = connection.verbs().nextSubmission();
    boolean isTaken =
        connection.verbs().submitPull(lengthBytes, header, 0, HEADER_BYTES, number | PULL_TAG);
    if (isTaken) {
      answers.put(rsn, new Answer(number, lengthBytes));
    }
    return isTaken;
  }

  /** Returns whether everything that was begun has ended. */
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

  /** Acknowledges the oldest message: a slow application is done with it. */
  void acknowledgeOne() {
    Long rsn = unacknowledged.poll();
    if (rsn != null) {
      connection.verbs().acknowledge(rsn);
      node.flush(connection, net.nowNs);
    }
  }

  void close() {
    if (reason == null) {
      node.close(connection, 0, "", net.nowNs);
      node.flush(connection, net.nowNs);
    }
  }

  void abort() {
    node.abort(connection, 300, "enough", net.nowNs);
  }

  private static byte byteOf(long number, long offset) {
    return (byte) (number * 31 + offset * 7 + (offset >>> 8));
  }

  @Override
  public void onEntry(OutboxEntry entry) {
    switch (entry.kind()) {
      case ESTABLISHED -> {
        isEstablished = true;
        net.after(0, this::submit);
      }
      case PORT_CHANGED -> host.onPortChanged(connection);
      case MOVED, PEER_CHANGED, PEER_FINISHED, SOURCE_RELEASED, FORGOTTEN -> {}
      case CLOSED -> onClosed(new CloseReason(entry.code(), entry.text(), entry.isByPeer()));
      case OPENED -> onOpened(entry);
      case BYTES -> onBytes(entry);
      case DELIVERED -> {
        if (entry.isAnswer()) {
          answers.get(entry.rsn()).onDelivered(entry.isWhole());
        } else {
          onDelivered(entry.handle(), entry.isWhole());
        }
      }
      case REQUESTED -> {
        long number = entry.buffer().getLong(entry.headerOffset());
        connection.verbs().respond(entry.rsn(), this, number, entry.limitBytes());
      }
      case ENDED -> {
        for (int i = 0; i < entry.count(); i++) {
          onEnded(entry.tag(), entry.outcome());
        }
      }
      case ROOM -> net.after(0, this::submit);
      default -> throw new IllegalStateException(entry.kind() + " was not asked for");
    }
  }

  private void onClosed(CloseReason closeReason) {
    require(reason == null, Invariant.LIFE_CYCLE, "closed twice: %s, %s", reason, closeReason);
    reason = closeReason;
    reasonAtNs = net.nowNs;
    waiting.clear();
  }

  @Override
  public void transmit(PacketBurst burst, long atNs) {
    for (int i = 0; i < burst.count(); i++) {
      int path = burst.pathIndex(i);
      InetSocketAddress to = connection.remote(path);
      host.send(burst.buffer(i), burst.offset(i), burst.length(i), connection.ni(path), to);
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

  private void onOpened(OutboxEntry entry) {
    long rsn = entry.rsn();
    if (entry.isAnswer()) {
      connection.verbs().acceptAnswer(rsn, rsn, Long.MAX_VALUE);
      return;
    }
    int length = entry.headerLength();
    require(length == HEADER_BYTES, Invariant.CONTENT, "a header of %d bytes", length);
    long number = entry.buffer().getLong(entry.headerOffset());
    arriving.put(rsn, new Arriving(number, entry.messageLength()));
    if (!connection.verbs().accept(rsn, rsn, false, Long.MAX_VALUE)) {
      arriving.remove(rsn); // it was given up meanwhile
    }
  }

  private void onBytes(OutboxEntry entry) {
    long rsn = entry.rsn();
    int length = entry.length();
    long offset = entry.messageOffset();
    if (entry.isAnswer()) {
      Answer answer = answers.get(rsn);
      requireContent(answer.number, offset, entry.buffer(), entry.offset(), length);
      answer.writtenBytes += length;
      connection.verbs().takenOfPull(rsn, length);
      return;
    }
    Arriving message = arriving.get(entry.handle());
    requireContent(message.number, offset, entry.buffer(), entry.offset(), length);
    message.writtenBytes += length;
    receivedBytes += length;
    connection.verbs().taken(rsn, length);
  }

  private static void requireContent(
      long number, long offset, ByteBuffer from, int index, int length) {
    for (int i = 0; i < length; i++) {
      if (from.get(index + i) != byteOf(number, offset + i)) { // No boxed arguments for each byte.
        require(false, Invariant.CONTENT, "byte %d of message %d", offset + i, number);
      }
    }
  }

  private void onDelivered(long handle, boolean whole) {
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

  private void onEnded(long tag, Outcome outcome) {
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

  /** A pull's answer. */
  private static final class Answer {
    private final long number;
    private final long lengthBytes;
    private long writtenBytes;

    Answer(long number, long lengthBytes) {
      this.number = number;
      this.lengthBytes = lengthBytes;
    }

    void onDelivered(boolean isWhole) {
      require(
          !isWhole || writtenBytes == lengthBytes,
          Invariant.CONTENT,
          "an answer of %d bytes, of which %d came",
          lengthBytes,
          writtenBytes);
    }
  }
}
