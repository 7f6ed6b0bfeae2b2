package io.rtransport.simulator.script;

import io.rtransport.core.connection.Connection;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.PayloadSource;
import io.rtransport.simulator.Application;
import io.rtransport.simulator.Node;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;

/**
 * The application on our connection: does what the script says, and keeps what it hears until the
 * script asks for it.
 */
final class ScriptApplication implements Application, PayloadSource {
  private static final long LATER = -1;

  /** What it heard and the script has not asked for. */
  final List<String> heard = new ArrayList<>();

  /** For each message that begins: {@link #LATER}, or below that a refusal, its code last. */
  private final Queue<Long> openAnswers = new ArrayDeque<>();

  private Node node;
  private Connection connection;
  private boolean isHolding;
  private int ready = Integer.MAX_VALUE;
  private int submitted;

  void connection(Node ours, Connection owned) {
    node = ours;
    connection = owned;
  }

  // ------------------------------------------------------------------ what a script lets it do

  void act(String verb, Map<String, String> words, long nowNs) {
    long rsn = rsn(words);
    switch (verb) {
      case "push" -> push(number(words, "bytes", 0), (int) number(words, "header", 0));
      case "pull" -> {
        ByteBuffer header = ByteBuffer.allocate((int) number(words, "header", 0));
        long max = number(words, "max", 0);
        require(connection.verbs().submitPull(max, header, 0, header.capacity(), submitted++));
      }
      case "acknowledge" -> connection.verbs().acknowledge(rsn);
      case "fail" -> connection.verbs().fail(rsn, (int) number(words, "code", 300), "");
      case "respond" -> {
        require(connection.verbs().respond(rsn, this, rsn, number(words, "bytes", 0)));
      }
      case "cancel" -> connection.verbs().cancel(rsn);
      case "deadline" -> {
        connection.verbs().deadline(rsn, nowNs + Numbers.timeNs(words.get("in")));
      }
      case "later" -> openAnswers.add(LATER);
      case "refuse" -> openAnswers.add(Long.MIN_VALUE | number(words, "code", 300));
      case "retry" -> connection.verbs().retryOpen(rsn);
      case "hold" -> isHolding = true;
      case "take" -> connection.verbs().taken(rsn, number(words, "bytes", 0));
      case "takeOfPull" -> connection.verbs().takenOfPull(rsn, number(words, "bytes", 0));
      case "unready" -> ready = (int) number(words, "from", 0);
      case "ready" -> {
        ready = Integer.MAX_VALUE;
        connection.verbs().ready(rsn);
      }
      case "close" -> node.close(connection, (int) number(words, "code", 0), "", nowNs);
      case "abort" -> node.abort(connection, (int) number(words, "code", 300), "", nowNs);
      default -> throw new IllegalArgumentException("the application has no verb " + verb);
    }
    node.flush(connection, nowNs);
  }

  private void push(long bytes, int headerLength) {
    ByteBuffer header = ByteBuffer.allocate(headerLength);
    long handle = Integer.toUnsignedLong(PacketCodec.FIRST + submitted);
    require(
        connection.verbs().submitPush(this, handle, bytes, header, 0, headerLength, submitted++));
  }

  private static void require(boolean isTaken) {
    if (!isTaken) {
      throw new AssertionError("the connection has not taken it");
    }
  }

  private static long rsn(Map<String, String> words) {
    return Integer.toUnsignedLong(PacketCodec.FIRST + (int) number(words, "rsn", 0));
  }

  private static long number(Map<String, String> words, String key, long otherwise) {
    return words.containsKey(key) ? Numbers.number(words.get(key)) : otherwise;
  }

  private static int counted(long rsn) {
    return (int) rsn - PacketCodec.FIRST;
  }

  // ------------------------------------------------------------------ what it hears

  @Override
  public void onEntry(OutboxEntry entry) {
    long rsn = entry.rsn();
    switch (entry.kind()) {
      case PEER_FINISHED -> heard.add("finished");
      case MOVED -> heard.add("moved");
      case CLOSED -> heard.add("closed " + CloseCode.nameOf(entry.code()));
      case OPENED -> onOpened(rsn, entry.isAnswer());
      case BYTES -> onBytes(entry);
      case DELIVERED ->
          heard.add((entry.isWhole() ? "delivered " : "broken ") + counted(entry.handle()));
      case REQUESTED -> heard.add("pull " + counted(rsn));
      case ENDED -> {
        String code = entry.code() == 0 ? "" : " " + entry.code();
        for (int i = 0; i < entry.count(); i++) {
          heard.add("ended " + entry.tag() + " " + entry.outcome() + code);
        }
      }
      case ESTABLISHED, PEER_CHANGED, SOURCE_RELEASED, ROOM, FORGOTTEN -> {}
      default -> throw new IllegalStateException(entry.kind() + " was not asked for");
    }
  }

  private void onOpened(long rsn, boolean isAnswer) {
    Long answer = openAnswers.poll();
    if (answer == null) {
      accept(rsn, isAnswer);
    } else if (answer < LATER && isAnswer) {
      connection.verbs().refuseAnswer(rsn, answer.intValue(), false);
    } else if (answer < LATER) {
      connection.verbs().refuse(rsn, answer.intValue(), false);
    }
  }

  private void accept(long rsn, boolean isAnswer) {
    boolean isWaitedFor =
        isAnswer
            ? connection.verbs().acceptAnswer(rsn, rsn, Long.MAX_VALUE)
            : connection.verbs().accept(rsn, rsn, false, Long.MAX_VALUE);
    if (!isWaitedFor) {
      heard.add("broken " + counted(rsn));
    }
  }

  private void onBytes(OutboxEntry entry) {
    long rsn = entry.rsn();
    int number = counted(entry.handle());
    for (int i = 0; i < entry.length(); i++) {
      long at = entry.messageOffset() + i;
      if (entry.buffer().get(entry.offset() + i) != PacketCodec.contentAt(number, at)) {
        throw new AssertionError("wrong content at " + at + " of " + number);
      }
    }
    int taken = isHolding ? 0 : entry.length();
    if (entry.isAnswer()) {
      connection.verbs().takenOfPull(rsn, taken);
    } else {
      connection.verbs().taken(rsn, taken);
    }
  }

  @Override
  public int copy(long handle, long offset, ByteBuffer to, int index, int length) {
    int count = (int) Math.max(0, Math.min(length, ready - offset));
    for (int i = 0; i < count; i++) {
      to.put(index + i, PacketCodec.contentAt(counted(handle), offset + i));
    }
    return count;
  }
}
