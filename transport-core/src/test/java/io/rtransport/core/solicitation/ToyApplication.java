package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.PayloadSource;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import java.util.random.RandomGenerator;

/**
 * An application that submits, takes, puts off, refuses, fails and answers as its random source
 * likes, and checks what it is told: content, order, and exactly one end each. A message's number,
 * {@code tag}, stands in its header and decides its content.
 */
final class ToyApplication implements PayloadSource {
  static final int HEADER_LENGTH = 12;

  /** Of a message that is written behind: granted and not taken. */
  static final long BEHIND_BYTES_MAX = 80 << 10;

  /** Answer to an opened message: it is asked about again. What is less than this refuses. */
  static final long LATER = -1;

  private static final long BY_TRANSPORT = 1L << 32;

  /** How this application treats a message that arrives. */
  enum Manner {
    ACKNOWLEDGE_AT_ONCE,
    ACKNOWLEDGE_LATER,
    TAKE_LATER,
    KEEP_WHOLE,
    PUT_OFF,
    REFUSE,
    FAIL
  }

  /** An own transaction. */
  static final class Own {
    final long tag;
    final boolean isPull;
    final long length;
    int readyBytes;
    int releases;
    boolean isEnded;

    Own(long tag, boolean isPull, long length) {
      this.tag = tag;
      this.isPull = isPull;
      this.length = length;
    }
  }

  /** A message that arrives, a push or an answer. */
  private static final class Inbound {
    long rsn;
    long tag;
    long length;
    boolean isAnswer;
    Manner manner;
    BitSet bytes;
    long untaken;
    boolean isDelivered;
    boolean isDead;
  }

  private final RandomGenerator random;
  private final List<Inbound> inbound = new ArrayList<>();
  private final List<Inbound> untaken = new ArrayList<>();
  private final List<Long> unacknowledged = new ArrayList<>();
  private final List<Long> putOff = new ArrayList<>();
  private final List<long[]> asked = new ArrayList<>();
  private final List<Long> unready = new ArrayList<>();
  private final Map<Long, Own> sources = new HashMap<>();
  private final Map<Long, Manner> mannersOfPeer = new HashMap<>();
  final List<Own> submitted = new ArrayList<>();
  boolean isOrdered = true;
  boolean isPlain;

  /** Whether it keeps each push in memory until it is whole, where it is plain. */
  boolean isKeepingWhole;

  boolean isEnding;
  boolean isMute;
  boolean isSilent;
  LongConsumer onOpen = rsn -> {};
  LongConsumer onPass = rsn -> {};
  LongConsumer onWrite = rsn -> {};
  long openAnswer;
  int bytesLeft;

  /** Whether sinks fail at the next byte. */
  boolean isBroken;

  final List<String> outcomes = new ArrayList<>();
  SolicitationSublayer solicitation;
  io.rtransport.core.transaction.TransactionSublayer transactions;
  ToyApplication peer;
  int ended;
  int submittables;
  int endsByTransport;
  int delivered;

  /** Messages that it heard will never be whole. */
  int broken;

  int failed;

  /** Payloads that were let go, of sources that are not this application's. */
  int foreignReleases;

  private long nextSource;
  private long expectedAtPeer;

  ToyApplication(RandomGenerator random) {
    this.random = random;
  }

  static byte contentAt(long tag, boolean isAnswer, long offset) {
    return (byte) (tag * 31 + offset * 7 + (offset >> 8) + (isAnswer ? 101 : 0));
  }

  /** Refuses an opened message with a code of the application's. */
  static long refuse(int code) {
    return Long.MIN_VALUE | code;
  }

  /** Refuses an opened message with a code of RT's. */
  static long refuseByTransport(CloseCode code) {
    return refuse(code.code()) | BY_TRANSPORT;
  }

  void tell(OutboxEntry entry) {
    switch (entry.kind()) {
      case MESSAGE -> onMessage(entry.rsn());
      case OPENED -> onOpened(entry);
      case BYTES -> onBytes(entry);
      case DELIVERED -> onDelivered(entry.handle(), entry.isWhole());
      case REQUESTED -> onRequested(entry);
      case SOURCE_RELEASED -> onSourceReleased(entry.handle());
      case ENDED -> {
        for (int i = 0; i < entry.count(); i++) {
          onEnded(entry);
        }
      }
      case ROOM -> submittables++;
      default -> throw new IllegalArgumentException(entry.kind() + " is the connection's");
    }
  }

  // ------------------------------------------------------------------ begins

  boolean submit(boolean isPull, long length) {
    long tag = submitted.size();
    ByteBuffer header = ByteBuffer.allocate(HEADER_LENGTH + 5);
    header.putLong(5, tag).putInt(13, (int) length);
    Own own = new Own(tag, isPull, length);
    boolean isTaken;
    if (isPull) {
      isTaken = transactions.submitPull(length, header, 5, HEADER_LENGTH, tag);
    } else {
      long handle = nextSource++;
      isTaken = transactions.submitPush(this, handle, length, header, 5, HEADER_LENGTH, tag, true);
      if (isTaken) {
        own.readyBytes =
            isPlain || random.nextInt(4) > 0 ? (int) length : random.nextInt((int) length + 1);
        sources.put(handle, own);
      }
    }
    if (isTaken) {
      submitted.add(own);
    }
    return isTaken;
  }

  @Override
  public int copy(long handle, long offset, ByteBuffer to, int index, int length) {
    Own own = sources.get(handle);
    assertThat(own.releases).as("copied after release").isZero();
    assertThat(offset + length).isLessThanOrEqualTo(own.length);
    int count = (int) Math.max(0, Math.min(length, own.readyBytes - offset));
    for (int i = 0; i < count; i++) {
      to.put(index + i, contentAt(own.tag, own.isPull, offset + i));
    }
    if (count < length && !unready.contains(handle)) {
      unready.add(handle);
    }
    if (offset + count == own.length) {
      onSourceReleased(handle);
    }
    return count;
  }

  private void onSourceReleased(long handle) {
    Own own = sources.get(handle);
    if (own == null) {
      foreignReleases++;
    } else {
      assertThat(++own.releases).as("releases of a source").isEqualTo(1);
    }
  }

  private void onEnded(OutboxEntry entry) {
    long tag = entry.tag();
    Outcome outcome = entry.outcome();
    int code = entry.code();
    endsByTransport += entry.isFromTransport() ? 1 : 0;
    if (isOrdered) {
      assertThat(tag).as("ends come in the order of submission").isEqualTo(ended);
    }
    Own own = submitted.get((int) tag);
    assertThat(own.isEnded).as("%s ends twice", tag).isFalse();
    own.isEnded = true;
    ended++;
    outcomes.add(outcome + " " + code);
    if (isEnding) {
      assertThat(outcome).isIn((Object[]) Outcome.values());
      return;
    }
    Manner manner = own.isPull ? peer.mannersOfPeer.get(-1 - tag) : peer.mannersOfPeer.get(tag);
    if (manner == Manner.REFUSE || manner == Manner.FAIL) {
      failed++;
      assertThat(outcome).isEqualTo(Outcome.FAILED);
      assertThat(code).isEqualTo(1000 + (int) tag);
    } else {
      assertThat(outcome)
          .as("outcome of %s: %s %s", own.tag, code, entry.text())
          .isEqualTo(Outcome.COMPLETED);
    }
  }

  // ------------------------------------------------------------------ takes

  private void onOpened(OutboxEntry entry) {
    long rsn = entry.rsn();
    boolean isAnswer = entry.isAnswer();
    long answer = open(entry);
    if (answer >= 0) {
      boolean isWaitedFor =
          isAnswer
              ? solicitation.sinks().acceptAnswer(rsn, answer, untakenBytesMax(answer))
              : solicitation
                  .sinks()
                  .accept(rsn, answer, isKeptWhole(answer), untakenBytesMax(answer));
      if (!isWaitedFor) {
        onDelivered(answer, false); // it was given up meanwhile, and no entry names the handle
      }
    } else if (answer < LATER && isAnswer) {
      solicitation.sinks().refuseAnswer(rsn, (int) answer, (answer & BY_TRANSPORT) != 0);
    } else if (answer < LATER) {
      solicitation.sinks().refuse(rsn, (int) answer, (answer & BY_TRANSPORT) != 0);
    }
  }

  /** Answers the handle by which the message is taken, or {@link #LATER}, or a refusal. */
  long open(OutboxEntry entry) {
    long rsn = entry.rsn();
    long lengthBytes = entry.messageLength();
    boolean isAnswer = entry.isAnswer();
    Inbound message = new Inbound();
    message.rsn = rsn;
    message.length = lengthBytes;
    message.isAnswer = isAnswer;
    message.bytes = new BitSet((int) lengthBytes);
    if (isAnswer) {
      message.tag = submittedTagOf(rsn);
      message.manner =
          isPlain || random.nextBoolean() ? Manner.ACKNOWLEDGE_AT_ONCE : Manner.TAKE_LATER;
    } else {
      assertThat(entry.headerLength()).isEqualTo(HEADER_LENGTH);
      ByteBuffer header = entry.buffer();
      int index = entry.headerOffset();
      message.tag = header.getLong(index);
      assertThat(header.getInt(index + 8)).isEqualTo((int) lengthBytes);
      message.manner = mannersOfPeer.get(message.tag);
      if (message.manner == null) {
        message.manner =
            isPlain
                ? isKeepingWhole ? Manner.KEEP_WHOLE : Manner.ACKNOWLEDGE_AT_ONCE
                : Manner.values()[random.nextInt(Manner.values().length)];
        mannersOfPeer.put(message.tag, message.manner);
      } else {
        assertThat(message.manner).as("opened twice").isEqualTo(Manner.PUT_OFF);
        message.manner = Manner.ACKNOWLEDGE_LATER;
      }
      if (message.manner == Manner.PUT_OFF) {
        putOff.add(rsn);
        return LATER;
      }
      if (message.manner == Manner.REFUSE) {
        expectOrder(message.tag);
        return refuse(1000 + (int) message.tag);
      }
    }
    onOpen.accept(rsn);
    if (openAnswer < 0) {
      long answer = openAnswer;
      openAnswer = 0;
      mannersOfPeer.put(message.tag, Manner.PUT_OFF);
      return answer;
    }
    inbound.add(message);
    return inbound.size() - 1;
  }

  private void onBytes(OutboxEntry entry) {
    Inbound message = inbound.get((int) entry.handle());
    assertThat(message.isDead).isFalse();
    if (isBroken) {
      message.isDead = true;
      if (message.isAnswer) {
        solicitation.sinks().failAnswerSink(entry.rsn());
      } else {
        solicitation.sinks().failSink(entry.rsn());
      }
      return;
    }
    int taken = write(message, entry);
    if (taken < entry.length()) {
      limitUntaken(entry);
    }
    if (message.isAnswer) {
      solicitation.sinks().takenOfPull(entry.rsn(), taken);
    } else {
      solicitation.sinks().taken(entry.rsn(), taken);
    }
  }

  private void limitUntaken(OutboxEntry entry) {
    if (entry.isAnswer()) {
      solicitation.sinks().limitUntakenOfPull(entry.rsn(), untakenBytesMax(entry.handle()));
    } else {
      solicitation.sinks().limitUntaken(entry.rsn(), untakenBytesMax(entry.handle()));
    }
  }

  /** Answers how many of the bytes it takes at once. */
  private int write(Inbound message, OutboxEntry entry) {
    long offset = entry.messageOffset();
    int length = entry.length();
    for (int i = 0; i < length; i++) {
      byte expected = contentAt(message.tag, message.isAnswer, offset + i);
      if (entry.buffer().get(entry.offset() + i) != expected) {
        throw new AssertionError("wrong byte at " + (offset + i) + " of message " + message.tag);
      }
    }
    int first = message.bytes.nextSetBit((int) offset);
    assertThat(first < 0 || first >= offset + length).as("a byte came twice").isTrue();
    message.bytes.set((int) offset, (int) offset + length);
    int taken =
        switch (message.manner) {
          case TAKE_LATER -> random.nextInt(length + 1);
          case KEEP_WHOLE -> 0;
          default -> length;
        };
    if (taken < length && !untaken.contains(message)) {
      untaken.add(message);
    }
    taken -= Math.min(taken, bytesLeft);
    message.untaken += length - taken;
    onWrite.accept(message.rsn);
    return taken;
  }

  private void onMessage(long rsn) {
    onPass.accept(rsn);
    delivered++;
    if (!isSilent) {
      transactions.inbound().acknowledge(rsn);
    }
  }

  private void onDelivered(long handle, boolean whole) {
    Inbound message = inbound.get((int) handle);
    assertThat(message.isDead || message.isDelivered).isFalse();
    message.isDelivered = whole;
    message.isDead = !whole;
    if (!whole) {
      broken++;
      return;
    }
    assertThat(message.bytes.cardinality()).isEqualTo((int) message.length);
    delivered++;
    if (message.isAnswer) {
      return;
    }
    expectOrder(message.tag);
    switch (message.manner) {
      case ACKNOWLEDGE_AT_ONCE, TAKE_LATER, KEEP_WHOLE -> answerAtOnceOrLater(message);
      case FAIL -> transactions.inbound().fail(message.rsn, 1000 + (int) message.tag, "failed");
      default -> unacknowledged.add(message.rsn);
    }
  }

  private boolean isKeptWhole(long handle) {
    return inbound.get((int) handle).manner == Manner.KEEP_WHOLE;
  }

  /** Every second of those that are taken later is written behind. */
  private long untakenBytesMax(long handle) {
    Inbound message = inbound.get((int) handle);
    return message.manner == Manner.TAKE_LATER && message.tag % 2 == 1
        ? BEHIND_BYTES_MAX
        : Long.MAX_VALUE;
  }

  private void answerAtOnceOrLater(Inbound message) {
    if (isSilent) {
      return;
    }
    if (message.manner == Manner.ACKNOWLEDGE_AT_ONCE) {
      transactions.inbound().acknowledge(message.rsn);
    } else {
      unacknowledged.add(message.rsn);
    }
  }

  private long submittedTagOf(long rsn) {
    return (int) rsn - firstRsn;
  }

  int firstRsn;

  /**
   * Requests reach the application in the order of their submission, but for those that were
   * refused when they were opened.
   */
  private void expectOrder(long tag) {
    if (isOrdered && mannersOfPeer.get(tag) != Manner.REFUSE) {
      assertThat(tag).as("order of delivery").isGreaterThanOrEqualTo(expectedAtPeer);
      expectedAtPeer = tag + 1;
    }
  }

  private void onRequested(OutboxEntry entry) {
    long tag = entry.buffer().getLong(entry.headerOffset());
    expectOrder(tag);
    delivered++;
    mannersOfPeer.put(
        -1 - tag, !isPlain && random.nextInt(8) == 0 ? Manner.FAIL : Manner.ACKNOWLEDGE_AT_ONCE);
    if (isMute) {
      return;
    }
    asked.add(new long[] {entry.rsn(), tag, entry.limitBytes()});
    if (isPlain || random.nextBoolean()) {
      answerOne();
    }
  }

  private void answerOne() {
    long[] question = asked.remove(random.nextInt(asked.size()));
    if (mannersOfPeer.get(-1 - question[1]) == Manner.FAIL) {
      transactions.inbound().fail(question[0], 1000 + (int) question[1], "no");
      return;
    }
    long length = random.nextBoolean() ? question[2] : random.nextLong(question[2] + 1);
    Own own = new Own(question[1], true, length);
    own.readyBytes =
        isPlain || random.nextInt(4) > 0 ? (int) length : random.nextInt((int) length + 1);
    long handle = nextSource++;
    sources.put(handle, own);
    assertThat(transactions.inbound().respond(question[0], this, handle, length)).isTrue();
  }

  /** Does one of the things that it owes. */
  void act() {
    switch (random.nextInt(5)) {
      case 0 -> {
        if (!unacknowledged.isEmpty()) {
          transactions
              .inbound()
              .acknowledge(unacknowledged.remove(random.nextInt(unacknowledged.size())));
        }
      }
      case 1 -> take();
      case 2 -> {
        if (!putOff.isEmpty()) {
          solicitation.sinks().retryOpen(putOff.remove(random.nextInt(putOff.size())));
        }
      }
      case 3 -> {
        if (!asked.isEmpty()) {
          answerOne();
        }
      }
      default -> {
        if (!unready.isEmpty()) {
          long handle = unready.remove(random.nextInt(unready.size()));
          Own own = sources.get(handle);
          own.readyBytes +=
              (int) Math.min(own.length - own.readyBytes, 1 + random.nextInt(64 << 10));
          if (own.releases == 0) {
            solicitation.ready(handle);
          }
        }
      }
    }
  }

  private void take() {
    if (untaken.isEmpty()) {
      return;
    }
    int at = random.nextInt(untaken.size());
    Inbound message = untaken.get(at);
    if (message.manner == Manner.KEEP_WHOLE && !message.isDelivered && !message.isDead) {
      return;
    }
    long bytes = random.nextBoolean() ? message.untaken : random.nextLong(message.untaken + 1);
    message.untaken -= bytes;
    if (message.untaken == 0) {
      untaken.remove(at);
    }
    if (message.isAnswer) {
      solicitation.sinks().takenOfPull(message.rsn, bytes);
    } else {
      solicitation.sinks().taken(message.rsn, bytes);
    }
  }

  /**
   * Every message that was opened was delivered, or is known to stay in part, or was failed by this
   * side.
   */
  void checkNoneOpen() {
    for (Inbound message : inbound) {
      boolean isClosed = message.isDelivered || message.isDead;
      assertThat(isClosed)
          .as("message %s of %s B still open", message.tag, message.length)
          .isTrue();
    }
  }

  void checkAllReleased() {
    assertThat(ended).isEqualTo(submitted.size());
    for (Own own : sources.values()) {
      assertThat(own.releases).as("releases of source of %s", own.tag).isEqualTo(1);
    }
  }

  /** What it has still to do. */
  String owes() {
    return "unacknowledged "
        + unacknowledged
        + " untaken "
        + untaken.size()
        + " putOff "
        + putOff
        + " asked "
        + asked.size()
        + " unready "
        + unready;
  }
}
