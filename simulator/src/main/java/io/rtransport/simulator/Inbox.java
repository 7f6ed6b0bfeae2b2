package io.rtransport.simulator;

import static io.rtransport.simulator.InvariantViolation.require;

import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.simulator.PlannedTransaction.Verdict;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * Receiver of messages, which checks them: every byte once and as sent, headers, lengths,
 * deliveries once and in RSN order. One takes the peer's pushes, another the answers to the host's
 * own pulls. It delays as each transaction's plan says.
 */
final class Inbox {
  /** Answer of {@link #open} without a handle: it asks again itself. */
  private static final long LATER = -1;

  /** Answer of {@link #open} without a handle: it takes none of the message. */
  private static final long REFUSED = -2;

  /** Answer of {@link #write} once it takes no more. */
  private static final int FAILED = -1;

  /** Least run of equal bytes that belongs to no message and no header. */
  private static final int GONE_BYTES_MIN = 8;

  private final SimApplication application;
  private final int host;
  private final WorldPlan plan;
  private final Workload workload;
  private final boolean isAnswers;

  /**
   * Whether small pushes are taken in one call. The length up to which this applies changes with
   * each push.
   */
  private final boolean isPassing;

  private final RandomGenerator wholeLengths;

  private final Map<Integer, BitSet> arrived = new HashMap<>();
  private final Map<Integer, Integer> laterCounts = new HashMap<>();

  /** Bytes of passed messages that are not taken yet, and whose message is not decided. */
  private final Map<PlannedTransaction, Integer> untaken = new HashMap<>();

  private long firstRsn;
  private int nextDelivery;
  private boolean isEnded;
  private long progress;

  Inbox(
      SimApplication application, int host, WorldPlan plan, Workload workload, boolean isAnswers) {
    this.application = application;
    this.host = host;
    this.plan = plan;
    this.workload = workload;
    this.isAnswers = isAnswers;
    this.isPassing = !isAnswers && SimRandom.fork(plan.seed, "pass").nextBoolean();
    this.wholeLengths = SimRandom.fork(plan.seed, "whole " + host);
  }

  /** Sets the length up to which pushes are taken in one call from now on. */
  void takeWhole() {
    if (isPassing && !isAnswers) {
      int draw = wholeLengths.nextInt(8);
      application
          .port()
          .takesWhole(draw == 0 ? -1 : draw == 1 ? wholeLengths.nextInt(64) : Integer.MAX_VALUE);
    }
  }

  /** Returns a number that grows with every byte and every delivery. */
  long progress() {
    return progress;
  }

  void firstRsn(int rsn) {
    firstRsn = Integer.toUnsignedLong(rsn);
  }

  long rsn(PlannedTransaction transaction) {
    return workload.rsns(initiator()).rsnOf(transaction.index);
  }

  private PlannedTransaction transaction(long rsn) {
    if (!(rsn >>> 32 == 0)) {
      throw InvariantViolation.of(Invariant.CONTENT, "rsn %x has more than 32 bits", rsn);
    }
    int index = workload.indexOf(initiator(), (int) (rsn - firstRsn));
    if (!(index >= 0 && index < workload.of(initiator()).size())) {
      throw InvariantViolation.of(
          Invariant.CONTENT, "rsn %x of host %d was never submitted", rsn, initiator());
    }
    return workload.of(initiator()).get(index);
  }

  private int initiator() {
    return isAnswers ? host : 1 - host;
  }

  /** Takes a pull request, as the delivery of a message. */
  PlannedTransaction onRequest(long rsn, ByteBuffer header, int index, int length) {
    PlannedTransaction transaction = transaction(rsn);
    checkHeader(transaction, header, index, length);
    checkDelivery(transaction);
    progress++;
    return transaction;
  }

  /**
   * Takes the end of input: {@code count} transactions were submitted, and none of them is missing.
   */
  void onEnd(int count) {
    require(!isEnded, Invariant.END_OF_INPUT, "host %d hears it twice", host);
    isEnded = true;
    for (int i = 0; i < count; i++) {
      PlannedTransaction begun = workload.of(1 - host).get(i);
      boolean isThere = begun.isDelivered || mayBePassedOver(begun);
      require(isThere, Invariant.END_OF_INPUT, "it comes before %s", begun.state());
    }
  }

  boolean isEnded() {
    return isEnded;
  }

  private void checkHeader(
      PlannedTransaction transaction, ByteBuffer header, int index, int length) {
    require(transaction.isSubmitted, Invariant.CONTENT, "%s arrived unsent", transaction);
    require(!isEnded, Invariant.END_OF_INPUT, "%s arrives after it", transaction);
    requireThere(transaction, header, index, length);
    require(
        isAnswers ? length == 0 : Workload.isHeader(transaction, header, index, length),
        Invariant.CONTENT,
        "%s arrived with another header of %d bytes",
        transaction,
        length);
  }

  /**
   * Checks that this side's application has not given up the transaction that it is told of. An
   * application that polls may hear later of what came before.
   */
  private void checkWanted(PlannedTransaction transaction, String what) {
    boolean isWanted =
        !isAnswers || !transaction.isCancelled || workload.rsns(initiator()).isToldByHost();
    require(
        isWanted, Invariant.STALE_ENTRY, "%s is cancelled, and its answer %s", transaction, what);
  }

  private static void requireThere(
      PlannedTransaction transaction, ByteBuffer from, int index, int length) {
    boolean isGone = length >= GONE_BYTES_MIN && ReadBytes.isGone(from, index, length);
    require(!isGone, Invariant.LATE_READ, "%d bytes of %s", length, transaction);
  }

  private void checkBegun(
      PlannedTransaction transaction, long lengthBytes, ByteBuffer header, int index, int length) {
    checkHeader(transaction, header, index, length);
    require(
        lengthBytes == transaction.lengthBytes && transaction.isPush() != isAnswers,
        Invariant.CONTENT,
        "%s arrived with %d bytes",
        transaction,
        lengthBytes);
    require(
        !arrived.containsKey(transaction.index),
        Invariant.NO_DUPLICATE,
        "%s opens twice",
        transaction);
  }

  void onOpened(OutboxEntry entry) {
    long rsn = entry.rsn();
    long handle =
        open(
            rsn, entry.messageLength(), entry.buffer(), entry.headerOffset(), entry.headerLength());
    SimPort port = application.port();
    if (handle >= 0) {
      boolean isKeptWhole = !isAnswers && ofHandle(handle).isKeptWhole;
      if (!port.accept(rsn, isAnswers, handle, isKeptWhole)) {
        deliver(handle, false); // The push was given up meanwhile, and no entry names the handle.
      }
    } else if (handle == REFUSED && isAnswers) {
      port.refuse(rsn, true, CloseCode.REFUSED_BY_SINK.code(), true);
    } else if (handle == REFUSED) {
      port.refuse(rsn, false, transaction(rsn).code, false);
    }
  }

  void onBytes(OutboxEntry entry) {
    long rsn = entry.rsn();
    int taken =
        write(
            entry.handle(), entry.messageOffset(), entry.buffer(), entry.offset(), entry.length());
    if (taken == FAILED) {
      application.port().failSink(rsn, isAnswers);
    } else {
      application.port().taken(rsn, isAnswers, taken);
    }
  }

  /** Returns a handle that is not negative, or {@link #LATER} or {@link #REFUSED}. */
  long open(long rsn, long lengthBytes, ByteBuffer header, int index, int length) {
    PlannedTransaction transaction = transaction(rsn);
    checkWanted(transaction, "begins");
    checkBegun(transaction, lengthBytes, header, index, length);
    takeWhole();
    int laterCount = laterCounts.getOrDefault(transaction.index, 0);
    transaction.isPutOff = !isAnswers && laterCount < transaction.laterCount;
    if (transaction.isPutOff) {
      laterCounts.put(transaction.index, laterCount + 1);
      application.totals().laterOpens++;
      SimSchedule schedule = application.schedule();
      schedule.at(schedule.nowNs() + transaction.laterNs, () -> retryOpen(rsn));
      return LATER;
    }
    arrived.put(transaction.index, new BitSet());
    if (!isAnswers && transaction.verdict == Verdict.REFUSE) {
      transaction.isFailed = true;
      return REFUSED;
    }
    if (isAnswers && transaction.breaksAtBytes == 0) {
      transaction.isBroken = true;
      return REFUSED;
    }
    transaction.isOpened = true;
    return transaction.index;
  }

  private void retryOpen(long rsn) {
    if (!application.isStopped()) {
      application.touch();
      application.port().retryOpen(rsn, isAnswers);
    }
  }

  private PlannedTransaction ofHandle(long handle) {
    PlannedTransaction transaction = workload.of(initiator()).get((int) handle);
    requireOpen(transaction);
    return transaction;
  }

  private static void requireOpen(PlannedTransaction transaction) {
    require(
        transaction.isOpened && !transaction.isBroken && !transaction.isCutShort,
        Invariant.CONTENT,
        "%s is written and not open",
        transaction);
  }

  /** Returns how many of the bytes are taken now. */
  int write(long handle, long offset, ByteBuffer from, int index, int length) {
    PlannedTransaction transaction = ofHandle(handle);
    checkWanted(transaction, "gives bytes");
    if (!(offset >= 0 && offset + length <= transaction.lengthBytes)) {
      throw InvariantViolation.of(
          Invariant.CONTENT, "bytes %d..%d of %s", offset, offset + length, transaction);
    }
    BitSet bytes = arrived.get(transaction.index);
    int first = (int) offset;
    int present = bytes.nextSetBit(first);
    if (!(present < 0 || present >= first + length)) {
      throw InvariantViolation.of(
          Invariant.NO_DUPLICATE, "byte %d of %s comes twice", present, transaction);
    }
    progress += length;
    int breaksAt = transaction.breaksAtBytes;
    if (breaksAt >= 0 && bytes.cardinality() + length > breaksAt) {
      transaction.isBroken = true;
      return FAILED;
    }
    bytes.set(first, first + length);
    int wrong = Pattern.mismatch(transaction.start, offset, from, index, length);
    if (!(wrong < 0)) {
      requireThere(transaction, from, index, length);
      throw InvariantViolation.of(
          Invariant.CONTENT, "byte %d of %s is wrong", offset + wrong, transaction);
    }
    return take(transaction, length);
  }

  /** Takes a passed message. It cannot be put off, but the application may still refuse it. */
  void onMessage(OutboxEntry entry) {
    long rsn = entry.rsn();
    ByteBuffer from = entry.buffer();
    int index = entry.offset();
    int length = entry.length();
    PlannedTransaction transaction = transaction(rsn);
    require(!isAnswers && isPassing, Invariant.CONTENT, "%s passes", transaction);
    checkBegun(transaction, length, from, entry.headerOffset(), entry.headerLength());
    arrived.put(transaction.index, new BitSet());
    application.totals().passedPushes++;
    takeWhole();
    if (transaction.verdict == Verdict.REFUSE) {
      transaction.isFailed = true;
      application.port().fail(rsn, transaction.code, "");
      return;
    }
    transaction.isOpened = true;
    int taken = write(transaction.index, 0, from, index, length);
    if (taken == FAILED) {
      application.port().failByTransport(rsn, CloseCode.REFUSED_BY_SINK);
      return;
    }
    application.port().taken(rsn, false, taken);
    if (taken < length) {
      untaken.put(transaction, length - taken);
    }
    deliver(transaction.index, true);
  }

  private int take(PlannedTransaction transaction, int length) {
    int taken = (int) (length * transaction.takenShare);
    if (transaction.takenShare == 1) {
      return length;
    }
    long rest = length - taken;
    if (rest > 0) {
      application.totals().partialTakes++;
      SimSchedule schedule = application.schedule();
      long rsn = rsn(transaction);
      schedule.at(
          schedule.nowNs() + transaction.takeDelayNs, () -> takeRest(transaction, rsn, rest));
    }
    return taken;
  }

  private void takeRest(PlannedTransaction transaction, long rsn, long bytes) {
    if (!application.isStopped()) {
      untaken.remove(transaction);
      application.touch();
      application.port().taken(rsn, isAnswers, bytes);
    }
  }

  /**
   * Forgets the untaken bytes: the application decides how the peer's message ends, and then has
   * all of it.
   */
  void onPronounced(PlannedTransaction transaction) {
    untaken.remove(transaction);
  }

  /**
   * Returns the bytes of passed messages that the application has not taken. They hold their
   * credit.
   */
  long untakenBytes() {
    long bytes = 0;
    for (Map.Entry<PlannedTransaction, Integer> message : untaken.entrySet()) {
      bytes += message.getKey().mayBeGivenUp() ? 0 : message.getValue();
    }
    return bytes;
  }

  void deliver(long handle, boolean isWhole) {
    PlannedTransaction transaction = workload.of(initiator()).get((int) handle);
    require(
        !transaction.isCutShort && (isAnswers || !transaction.isDelivered),
        Invariant.NO_DUPLICATE,
        "%s is delivered twice, whole or cut short",
        transaction);
    requireOpen(transaction);
    BitSet bytes = arrived.get(transaction.index);
    application.trace().delivered(host, isAnswers, rsn(transaction), isWhole, now());
    progress++;
    if (!isWhole) {
      transaction.isCutShort = true;
      boolean isRight = application.isDeathExpected() || transaction.mayBeGivenUp();
      if (!isRight && application.isMortal()) {
        application.noteCutShort();
        return;
      }
      require(isRight, Invariant.NO_LOSS, "%s is cut short", transaction);
      return;
    }
    require(
        bytes.cardinality() == transaction.lengthBytes,
        Invariant.NO_LOSS,
        "%s is delivered with %d bytes",
        transaction,
        bytes.cardinality());
    if (isAnswers) {
      require(!transaction.isAnswerDelivered, Invariant.NO_DUPLICATE, "answer of %s", transaction);
      transaction.isAnswerDelivered = true;
      return;
    }
    checkDelivery(transaction);
    transaction.isDelivered = true;
    arrived.put(transaction.index, new BitSet());
    application.decide(transaction);
  }

  private long now() {
    return application.schedule().nowNs();
  }

  /**
   * Checks that deliveries come once, and in RSN order where ordered. Refused ones are passed over.
   */
  private void checkDelivery(PlannedTransaction transaction) {
    require(!isEnded, Invariant.END_OF_INPUT, "%s is delivered after it", transaction);
    require(!transaction.isDelivered, Invariant.NO_DUPLICATE, "%s is delivered twice", transaction);
    if (!plan.isOrdered) {
      application.totals().deliveredOutOfOrder += transaction.index < nextDelivery ? 1 : 0;
      nextDelivery = Math.max(nextDelivery, transaction.index + 1);
      return;
    }
    require(
        transaction.index >= nextDelivery,
        Invariant.RSN_ORDER,
        "%s is delivered after number %d",
        transaction,
        nextDelivery - 1);
    for (int i = nextDelivery; i < transaction.index; i++) {
      PlannedTransaction passed = workload.of(transaction.host).get(i);
      require(
          mayBePassedOver(passed),
          Invariant.RSN_ORDER,
          "%s is delivered before %s",
          transaction,
          passed);
    }
    nextDelivery = transaction.index + 1;
  }

  private boolean mayBePassedOver(PlannedTransaction passed) {
    boolean isRefusedAtClose = application.isRefusing() && !passed.isOpened;
    return isRefusedAtClose
        || passed.mayBeGivenUp()
        || passed.isBroken
        || passed.verdict == Verdict.REFUSE && passed.isFailed;
  }
}
