package io.rtransport.simulator.script;

import io.rtransport.core.connection.CloseReason;
import io.rtransport.core.connection.Connection;
import io.rtransport.core.transaction.Outcome;
import io.rtransport.core.transaction.PayloadSource;
import io.rtransport.core.wire.CloseCode;
import io.rtransport.simulator.ConnectionDriver;
import io.rtransport.simulator.ConnectionListener;
import io.rtransport.simulator.PayloadSink;
import io.rtransport.simulator.TransactionListener;
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
final class ScriptApplication
    implements ConnectionListener, PayloadSink, PayloadSource, TransactionListener {
  /** What it heard and the script has not asked for. */
  final List<String> heard = new ArrayList<>();

  private final Queue<Long> openAnswers = new ArrayDeque<>();
  private Connection connection;
  private boolean isHolding;
  private int ready = Integer.MAX_VALUE;
  private int submitted;

  void connection(Connection owned) {
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
        require(
            ConnectionDriver.of(connection)
                .submitPull(this, max, header, 0, header.capacity(), submitted++));
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
      case "refuse" -> openAnswers.add(PayloadSink.refuse((int) number(words, "code", 300)));
      case "retry" -> connection.verbs().retryOpen(rsn);
      case "hold" -> isHolding = true;
      case "take" -> connection.verbs().taken(rsn, number(words, "bytes", 0));
      case "takeOfPull" -> connection.verbs().takenOfPull(rsn, number(words, "bytes", 0));
      case "unready" -> ready = (int) number(words, "from", 0);
      case "ready" -> {
        ready = Integer.MAX_VALUE;
        connection.verbs().ready(rsn);
      }
      case "close" ->
          ConnectionDriver.of(connection).close((int) number(words, "code", 0), "", nowNs);
      case "abort" ->
          ConnectionDriver.of(connection).abort((int) number(words, "code", 300), "", nowNs);
      default -> throw new IllegalArgumentException("the application has no verb " + verb);
    }
    ConnectionDriver.of(connection).flush(nowNs);
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
  public void onEstablished() {}

  @Override
  public void onPeerFinished() {
    heard.add("finished");
  }

  @Override
  public void onMoved() {
    heard.add("moved");
  }

  @Override
  public void onClosed(CloseReason reason) {
    heard.add("closed " + CloseCode.nameOf(reason.code()));
  }

  @Override
  public long open(long rsn, long lengthBytes, ByteBuffer header, int index, int length) {
    Long answer = openAnswers.poll();
    return answer == null ? rsn : answer;
  }

  @Override
  public int write(long handle, long offset, ByteBuffer from, int index, int length) {
    for (int i = 0; i < length; i++) {
      if (from.get(index + i) != PacketCodec.contentAt(counted(handle), offset + i)) {
        throw new AssertionError("wrong content at " + (offset + i) + " of " + counted(handle));
      }
    }
    return isHolding ? 0 : length;
  }

  @Override
  public void deliver(long handle, boolean whole) {
    heard.add((whole ? "delivered " : "broken ") + counted(handle));
  }

  @Override
  public void onPullRequest(
      long rsn, long lengthBytesMax, ByteBuffer header, int index, int length) {
    heard.add("pull " + counted(rsn));
  }

  @Override
  public void onEnded(long tag, Outcome outcome, int code, String text) {
    heard.add("ended " + tag + " " + outcome + (code == 0 ? "" : " " + code));
  }

  @Override
  public void onSubmittable() {}

  @Override
  public int copy(long handle, long offset, ByteBuffer to, int index, int length) {
    int count = (int) Math.max(0, Math.min(length, ready - offset));
    for (int i = 0; i < count; i++) {
      to.put(index + i, PacketCodec.contentAt(counted(handle), offset + i));
    }
    return count;
  }
}
