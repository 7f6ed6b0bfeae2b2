package io.rtransport.core.connection;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.fuzz.FuzzInput;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.PayloadSource;
import io.rtransport.simulator.Application;
import io.rtransport.simulator.Node;
import io.rtransport.simulator.Wire;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * An application that does what a fuzzer says, and holds the connection to what its entries
 * promise: a message is opened once, each of its bytes comes once and inside it, it is delivered
 * once, whole only when all its bytes were there; each source is released once, each own
 * transaction ends once, all before the connection's own end, after which nothing comes.
 */
final class FuzzApplication implements Application, PayloadSource, Wire {
  private static final int MESSAGE_BYTES_MAX = 1 << 16;

  /** Instead of the bytes that were taken: no more of the message is. */
  private static final int FAILED = -1;

  // The codes beside them may be any, RT's own included.
  private static final String CLOSED = "closed";
  private static final String ABORTED = "aborted";

  /** A message that comes in: the peer's push, or the answer to an own pull. */
  private static final class Inbound {
    final long rsn;
    final long length;
    final BitSet bytes = new BitSet();
    long untaken;
    boolean isDead;
    boolean isDelivered;

    /** By a call that nobody should make: then its handle is dead without a word. */
    boolean mayBeFailed;

    Inbound(long rsn, long length) {
      this.rsn = rsn;
      this.length = length;
    }
  }

  /** Takes pushes, or the answers to pulls. */
  private final class Inbox {
    final boolean isOfPulls;
    final Map<Long, Inbound> messages = new HashMap<>();

    Inbox(boolean isOfPulls) {
      this.isOfPulls = isOfPulls;
    }

    void onOpened(OutboxEntry entry) {
      long rsn = entry.rsn();
      long lengthBytes = entry.messageLength();
      int length = entry.headerLength();
      alive("open");
      require(lengthBytes >= 0 && lengthBytes <= MESSAGE_BYTES_MAX, "length " + lengthBytes);
      require(
          length >= 0 && length <= connection.agreed().both().headerLengthMax(),
          "header " + length);
      require(messages.values().stream().noneMatch(m -> m.rsn == rsn), "opened twice: " + rsn);
      int what = choices.nextInt(24);
      if (what == 0) {
        if (!isOfPulls) {
          later.add(rsn);
        }
        return;
      }
      if (what == 1) {
        refuse(rsn, choices.nextInt(1_000));
        return;
      }
      long handle = nextHandle++;
      messages.put(handle, new Inbound(rsn, lengthBytes));
      takeWhole();
      boolean isWaitedFor =
          isOfPulls
              ? connection.verbs().acceptAnswer(rsn, handle, Long.MAX_VALUE)
              : connection.verbs().accept(rsn, handle, (handle & 3) == 0, Long.MAX_VALUE);
      if (!isWaitedFor) {
        onDelivered(handle, false);
      }
    }

    private void refuse(long rsn, int code) {
      if (isOfPulls) {
        connection.verbs().refuseAnswer(rsn, code, false);
      } else {
        connection.verbs().refuse(rsn, code, false);
      }
    }

    void onBytes(OutboxEntry entry) {
      long rsn = entry.rsn();
      int taken =
          write(
              entry.handle(),
              entry.messageOffset(),
              entry.buffer(),
              entry.offset(),
              entry.length());
      if (taken == FAILED && isOfPulls) {
        connection.verbs().failAnswerSink(rsn);
      } else if (taken == FAILED) {
        connection.verbs().failSink(rsn);
      } else if (isOfPulls) {
        connection.verbs().takenOfPull(rsn, taken);
      } else {
        connection.verbs().taken(rsn, taken);
      }
    }

    private int write(long handle, long offset, ByteBuffer from, int index, int length) {
      alive("write");
      Inbound message = messages.get(handle);
      require(message != null && !message.isDead, "bytes for a dead handle " + handle);
      require(length > 0 && offset >= 0 && offset + length <= message.length, "bytes outside");
      int start = (int) offset;
      int set = message.bytes.nextSetBit(start);
      require(set < 0 || set >= start + length, "a byte twice at " + set);
      message.bytes.set(start, start + length);
      byte sum = 0;
      for (int i = 0; i < length; i++) {
        sum += from.get(index + i); // reading beyond the buffer throws
      }
      int what = choices.nextInt(24);
      if (what == 0) {
        message.isDead = true;
        return FAILED;
      }
      int taken = what < 4 ? choices.nextInt(length + 1) : length;
      message.untaken += length - taken;
      return taken + (sum & 0);
    }

    void onMessage(OutboxEntry entry) {
      long rsn = entry.rsn();
      ByteBuffer from = entry.buffer();
      int headerIndex = entry.headerOffset();
      int headerLength = entry.headerLength();
      int index = entry.offset();
      int length = entry.length();
      alive("pass");
      require(!isOfPulls, "an answer passes");
      require(length <= wholeLengthMax, "one of " + length + " passes");
      require(
          headerLength <= connection.agreed().both().headerLengthMax(), "header " + headerLength);
      require(messages.values().stream().noneMatch(m -> m.rsn == rsn), "passed twice: " + rsn);
      Inbound message = new Inbound(rsn, length);
      message.isDelivered = true;
      messages.put(nextHandle++, message);
      for (int i = 0; i < length; i++) {
        from.get(index + i); // reading beyond the buffer throws
      }
      for (int i = 0; i < headerLength; i++) {
        from.get(headerIndex + i);
      }
      takeWhole();
      int what = choices.nextInt(4);
      if (what == 0) {
        connection.verbs().fail(rsn, 7, "no");
      } else if (what == 1) {
        int taken = choices.nextInt(4) == 0 ? choices.nextInt(length + 1) : length;
        message.untaken = length - taken;
        connection.verbs().taken(rsn, taken);
        toAcknowledge.add(rsn);
      } else {
        connection.verbs().acknowledge(rsn);
      }
    }

    void onDelivered(long handle, boolean whole) {
      alive("deliver");
      Inbound message = messages.get(handle);
      require(message != null && !message.isDead && !message.isDelivered, "delivered twice");
      message.isDelivered = true;
      message.isDead = !whole;
      require(!whole || message.bytes.cardinality() == message.length, "delivered in part");
      if (whole && !isOfPulls) {
        toAcknowledge.add(message.rsn);
      }
    }
  }

  final Inbox pushes = new Inbox(false);
  private final Inbox answers = new Inbox(true);
  private final SplittableRandom choices;
  private final Node node;
  private final Wire wire;
  private final List<Long> toAcknowledge = new ArrayList<>();
  private final Map<Long, Long> toAnswer = new TreeMap<>();
  private final List<Long> later = new ArrayList<>();
  private final Map<Long, Long> openSources = new HashMap<>();
  private final Set<Long> openTags = new HashSet<>();
  Connection connection;
  CloseReason reason;
  private int wholeLengthMax;
  private long nextHandle = 1;
  private long nextTag = 1;
  private boolean isFinishedTold;
  private boolean isForgotten;

  /**
   * @param seed of what it answers inside calls
   * @param wire where packets leave
   */
  FuzzApplication(long seed, Node node, Wire wire) {
    choices = new SplittableRandom(seed);
    this.node = node;
    this.wire = wire;
  }

  void adopt(Connection owned) {
    connection = owned;
    node.attach(owned, this, this);
    takeWhole();
  }

  /** Which messages pass from now on: none, short ones, or all. */
  private void takeWhole() {
    wholeLengthMax =
        switch (choices.nextInt(8)) {
          case 0 -> Integer.MAX_VALUE;
          case 1 -> choices.nextInt(64);
          default -> -1;
        };
    connection.verbs().takesWhole(wholeLengthMax);
  }

  void flush(long nowNs) {
    node.flush(connection, nowNs);
  }

  // ------------------------------------------------------------------ what it does

  /** One verb, mostly one that makes sense. The caller flushes. */
  void act(FuzzInput input, long nowNs) {
    ApplicationVerbs verbs = connection.verbs();
    switch (input.below(16)) {
      case 0, 1, 2 -> push(input);
      case 3, 4 -> pull(input);
      case 5, 6 -> {
        for (long rsn : taken(toAcknowledge)) {
          verbs.acknowledge(rsn);
        }
      }
      case 7 -> taken(toAcknowledge).forEach(rsn -> verbs.fail(rsn, 7, "no"));
      case 8 -> respond(input);
      case 9 -> taken(later).forEach(verbs::retryOpen);
      case 10 -> take();
      case 11 -> verbs.cancel(verbs.nextSubmission() - 1 - input.below(8) & 0xFFFF_FFFFL);
      case 12 -> {
        long rsn = verbs.nextSubmission() - 1 - input.below(8) & 0xFFFF_FFFFL;
        verbs.deadline(rsn, nowNs + (long) input.u8() * 1_000_000);
      }
      case 13 -> openSources.keySet().stream().toList().forEach(verbs::ready);
      case 14 -> illegal(input, nowNs);
      default -> {
        switch (input.below(8)) {
          case 0 -> verbs.finish();
          case 1 -> node.close(connection, input.u16(), CLOSED, nowNs);
          case 2 -> node.abort(connection, input.u16(), ABORTED, nowNs);
          default -> {
            // Ends are rarer than anything else, or nothing else would be seen.
          }
        }
      }
    }
  }

  private void push(FuzzInput input) {
    int headerLength = input.below(4) == 0 ? input.below(64) : 0;
    long handle = source(input);
    long tag = nextTag++;
    long length = openSources.get(handle);
    ByteBuffer header = ByteBuffer.allocate(headerLength);
    if (connection.verbs().submitPush(this, handle, length, header, 0, headerLength, tag)) {
      openTags.add(tag);
    } else {
      openSources.remove(handle);
    }
  }

  private void pull(FuzzInput input) {
    long tag = nextTag++;
    long most = input.flag() ? input.u16() : input.u8();
    ByteBuffer none = ByteBuffer.allocate(0);
    if (connection.verbs().submitPull(most, none, 0, 0, tag)) {
      openTags.add(tag);
    }
  }

  private void respond(FuzzInput input) {
    Map<Long, Long> all = Map.copyOf(toAnswer);
    toAnswer.clear();
    for (long rsn : new TreeSet<>(all.keySet())) {
      long handle = source(input);
      long length = Math.min(openSources.get(handle), all.get(rsn));
      openSources.put(handle, length);
      if (!connection.verbs().respond(rsn, this, handle, length)) {
        openSources.remove(handle);
      }
    }
  }

  private long source(FuzzInput input) {
    long handle = nextHandle++;
    openSources.put(handle, (long) (input.flag() ? input.u16() : input.u8()));
    return handle;
  }

  private static List<Long> taken(List<Long> from) {
    List<Long> all = List.copyOf(from);
    from.clear();
    return all;
  }

  /** Says of every message that its bytes have been taken. */
  void take() {
    for (Inbox inbox : List.of(pushes, answers)) {
      for (Inbound message : List.copyOf(inbox.messages.values())) {
        long bytes = message.untaken;
        message.untaken = 0;
        if (bytes > 0 && inbox.isOfPulls) {
          connection.verbs().takenOfPull(message.rsn, bytes);
        } else if (bytes > 0) {
          connection.verbs().taken(message.rsn, bytes);
        }
      }
    }
  }

  /** Does all that it owes: nothing waits for it any more. */
  void settle() {
    take();
    later.clear();
    connection.verbs().retryOpen();
    openSources.keySet().stream().toList().forEach(connection.verbs()::ready);
    taken(toAcknowledge).forEach(connection.verbs()::acknowledge);
    Set<Long> unanswered = Set.copyOf(toAnswer.keySet());
    toAnswer.clear();
    unanswered.forEach(rsn -> connection.verbs().fail(rsn, 1, "late"));
  }

  /** Calls that nobody should make: an exception that names the value, or nothing. */
  private void illegal(FuzzInput input, long nowNs) {
    ApplicationVerbs verbs = connection.verbs();
    long any = input.i64();
    long rsn = any & 0xFFFF_FFFFL;
    ByteBuffer header = ByteBuffer.allocate(600);
    try {
      switch (input.below(9)) {
        case 0 -> verbs.acknowledge(rsn);
        case 1 -> {
          pushes.messages.values().stream()
              .filter(m -> m.rsn == rsn)
              .forEach(m -> m.mayBeFailed = true);
          verbs.fail(rsn, (int) any, "x".repeat(400));
        }
        case 2 -> verbs.cancel(any);
        case 3 -> verbs.deadline(any, nowNs - 1);
        case 4 -> verbs.retryOpen(rsn);
        case 5 -> verbs.ready(any);
        case 6 -> {
          boolean isRefused = any >= 0 && any <= MESSAGE_BYTES_MAX;
          require(isRefused || !verbs.submitPull(any, header, 0, 0, 0), "pull of " + any);
        }
        case 7 -> require(!verbs.submitPush(this, 0, 1, header, 0, 600, 0), "header of 600");
        default -> {
          long handle = nextHandle++;
          openSources.put(handle, 0L);
          if (!verbs.respond(rsn ^ 0x4000_0000, this, handle, 0)) {
            openSources.remove(handle);
          }
        }
      }
    } catch (IllegalArgumentException e) {
      require(e.getMessage().contains(" must be "), "what is valid: " + e.getMessage());
    }
  }

  // ------------------------------------------------------------------ what it hears

  @Override
  public void onEntry(OutboxEntry entry) {
    switch (entry.kind()) {
      case ESTABLISHED -> require(reason == null, "established");
      case MOVED, PORT_CHANGED -> {}
      case PEER_CHANGED -> alive("PEER_CHANGED");
      case PEER_FINISHED -> onPeerFinished();
      case CLOSED -> onClosed(new CloseReason(entry.code(), entry.text(), entry.isByPeer()));
      case FORGOTTEN -> {
        require(reason != null && !isForgotten, "forgotten");
        isForgotten = true;
      }
      case MESSAGE -> pushes.onMessage(entry);
      case OPENED -> inbox(entry).onOpened(entry);
      case BYTES -> inbox(entry).onBytes(entry);
      case DELIVERED -> inbox(entry).onDelivered(entry.handle(), entry.isWhole());
      case REQUESTED -> onRequested(entry);
      case SOURCE_RELEASED -> release(entry.handle());
      case ENDED -> {
        for (int i = 0; i < entry.count(); i++) {
          onEnded(entry);
        }
      }
      case ROOM -> alive("ROOM");
    }
  }

  private Inbox inbox(OutboxEntry entry) {
    return entry.isAnswer() ? answers : pushes;
  }

  private void onPeerFinished() {
    alive("PEER_FINISHED");
    require(!isFinishedTold, "the end of input twice");
    isFinishedTold = true;
  }

  private void onClosed(CloseReason closeReason) {
    alive("CLOSED");
    require(openTags.isEmpty(), "not ended before the close: " + openTags);
    reason = closeReason;
  }

  private void onRequested(OutboxEntry entry) {
    alive("REQUESTED");
    int headerLength = entry.headerLength();
    require(headerLength <= connection.agreed().both().headerLengthMax(), "header " + headerLength);
    toAnswer.put(entry.rsn(), entry.limitBytes());
  }

  private void onEnded(OutboxEntry entry) {
    alive("ENDED");
    require(openTags.remove(entry.tag()), "ended twice, or never begun: " + entry.tag());
    require(entry.outcome() != null && entry.text() != null, "an end without outcome");
  }

  @Override
  public int copy(long handle, long offset, ByteBuffer to, int index, int length) {
    Long whole = openSources.get(handle);
    require(whole != null, "copied after its release: " + handle);
    require(offset >= 0 && length >= 0 && offset + length <= whole, "copied beyond the end");
    int count = choices.nextInt(16) == 0 ? choices.nextInt(length + 1) : length;
    for (int i = 0; i < count; i++) {
      to.put(index + i, (byte) (offset + i));
    }
    if (offset + count == whole) {
      release(handle);
    }
    return count;
  }

  private void release(long handle) {
    require(openSources.remove(handle) != null, "released twice: " + handle);
  }

  @Override
  public void transmit(PacketBurst burst, long nowNs) {
    wire.transmit(burst, nowNs);
  }

  @Override
  public boolean hasRoom(int pathIndex) {
    return wire.hasRoom(pathIndex);
  }

  private void alive(String call) {
    require(reason == null, call + " after the end");
  }

  /** Whether no own transaction is open. */
  boolean isSettled() {
    return openTags.isEmpty();
  }

  /** Everybody did what he owed, and packets arrived: no own transaction is still open. */
  void checkSettled() {
    require(openTags.isEmpty(), "never ended: " + openTags + " of " + connection);
  }

  /** The connection is over and forgotten. */
  void checkEnd() {
    require(reason != null, "no end was told");
    require(isForgotten, "not forgotten");
    require(openTags.isEmpty(), "never ended: " + openTags);
    require(openSources.isEmpty(), "never released: " + openSources);
    for (Inbox inbox : List.of(pushes, answers)) {
      for (Inbound message : inbox.messages.values()) {
        require(
            message.isDelivered || message.isDead || message.mayBeFailed,
            "a message left open: " + message.rsn);
      }
    }
  }

  /** Whether an application ended it so, and not RT. */
  static boolean isByApplication(CloseReason reason) {
    return reason.text().equals(CLOSED) || reason.text().equals(ABORTED);
  }

  static void require(boolean isRight, String what) {
    if (!isRight) {
      throw new AssertionError(what);
    }
  }
}
