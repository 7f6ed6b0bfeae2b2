package io.rtransport.core.solicitation;

import io.rtransport.core.stats.Counters;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.transaction.TransactionSublayer;
import io.rtransport.core.transaction.TransactionSupport;
import io.rtransport.core.window.AcknowledgementView;
import io.rtransport.core.window.RecordSource;
import io.rtransport.core.wire.Flyweights;
import io.rtransport.core.wire.PacketBurst;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;

/**
 * The solicitation sublayer of one connection: decides when messages may come and go, and in which
 * order (patent, Figures 5 to 12). It reads the records of arriving packets, and writes records
 * when the window below has room for them.
 *
 * <p>Its parts: {@link Admission}, {@link Initiator} and {@link PullReceiver} are this connection
 * as initiator, {@link Target} as target; {@link Credit} and {@link CreditAllowance} the two
 * accounts of unsolicited bytes; {@link GrantScheduler} asks for solicited ones within the {@link
 * NodeBudget}; {@link ReorderEngine} is CAM b; {@link Segmenter} and {@link Reassembler} cut
 * messages up and put them together; {@link RsnWindow} and {@link CompletionTracker} say what has
 * ended; {@link RecordReader} reads the records that arrive, {@link RecordWriter} says which a
 * packet takes.
 *
 * <p>Its timers: a grant that sees no byte, and bytes that nobody takes ({@link GrantScheduler});
 * the {@link FlushWindow}; the {@link CompletionDelay}; and at once, when a verb of the application
 * left something that has to be asked of it.
 *
 * <p>Confined to the connection's loop.
 */
public final class SolicitationSublayer implements RecordSource, TransactionSupport {
  private final TransactionSublayer transactions;
  private final Admission admission;
  private final Initiator initiator;
  private final PullReceiver pullReceiver;
  private final Target target;
  private final RecordWriter writer;
  private final Cancellations cancellations;
  private final CreditAllowance allowance;
  private final GrantScheduler grants;
  private final Segmenter segmenter;
  private final PathView path;
  private final Reassembler reassembler;
  private final RecordReader reader;

  private String failure;
  private long lastNowNs;
  private boolean isReadyInside;

  /** Whether the entry given last may be answered, until the next is asked for. */
  private boolean isAnswerable;

  /**
   * @param transactions the sublayer above; this one attaches itself to it
   * @param waker called, on any thread, when the node's budget has room for this connection again:
   *     must lead to a transmission on this connection's loop
   */
  public SolicitationSublayer(
      SolicitationConfig config,
      SolicitationResources resources,
      NodeBudgets budgets,
      PathView path,
      TransactionSublayer transactions,
      Counters counters,
      Runnable waker) {
    this.transactions = transactions;
    Flyweights write = resources.tools().writing();
    reassembler = new Reassembler(resources.holding(), resources.transactions());
    segmenter =
        new Segmenter(config.recordsLengthMax(), config.controlLengthMax(), counters, write);
    ReorderEngine reorder =
        new ReorderEngine(config.cid(), resources.reorderTable(), resources.transactions());
    this.path = path;
    allowance =
        new CreditAllowance(
            config.agreed().rx().initialCreditBytes(), config.givenCreditBytes(), budgets.credit());
    grants =
        new GrantScheduler(
            resources.transactions(),
            config.inFlightBytesMax(),
            budgets.solicitation(),
            waker,
            path,
            config.isOrdered(),
            () -> transactions.findOwn(transactions.lowestUnended()),
            counters);
    admission = new Admission(config, transactions, path, counters);
    cancellations = new Cancellations(resources.transactions(), write);
    initiator =
        new Initiator(
            config,
            transactions,
            admission,
            grants,
            reorder,
            segmenter,
            cancellations,
            path,
            counters,
            write);
    pullReceiver =
        new PullReceiver(
            transactions, grants, reassembler, counters, this::fail, initiator::onRefused);
    target =
        new Target(
            config,
            transactions,
            allowance,
            grants,
            reorder,
            reassembler,
            segmenter,
            counters,
            write,
            this::fail);
    writer =
        new RecordWriter(
            config.controlLengthMax(),
            transactions,
            initiator,
            target,
            grants,
            cancellations,
            write);
    reader =
        new RecordReader(
            initiator,
            pullReceiver,
            target,
            admission.credit(),
            counters,
            resources.tools().reading());
    transactions.attach(this);
  }

  private void fail(String text) {
    if (failure == null) {
      failure = text;
    }
  }

  /** Null, or which rule the peer broke: the connection must end with PROTOCOL_ERROR. */
  public String failure() {
    return failure;
  }

  // ------------------------------------------------------------------ inbound

  /**
   * Takes the packets that the sublayers below did not drop. They are read by {@link #poll}, and
   * have to stay where they are until that says that there is nothing more.
   */
  public void onBurst(PacketBurst burst, long nowNs) {
    lastNowNs = nowNs;
    reader.begin(burst, nowNs);
  }

  /**
   * Takes the next thing that there is to say to the application, in order: reads on in the burst
   * until a record has something to say, or something of this side's own has ended by it. Pushes
   * that have completed come first: nearly all entries of a side that sends are these.
   *
   * @return false when there is nothing, and the burst was read to its end
   */
  public boolean poll(OutboxEntry into) {
    if (isAnswerable) {
      settleLast();
    }
    return transactions.pollCompleted(into) || pollNext(into);
  }

  private boolean pollNext(OutboxEntry into) {
    while (!pollArriving(into)) {
      if (transactions.poll(into) || target.poll(into) || pollReceipt(into)) {
        return true;
      }
      if (!reader.isReading()) {
        return false;
      }
      if (readOn(into)) {
        break;
      }
    }
    isAnswerable = true;
    return true;
  }

  private boolean pollReceipt(OutboxEntry into) {
    Receipts receipts = initiator.receipts();
    return receipts != null && receipts.poll(into);
  }

  /** What the application has not said of the entry that it was given last. */
  private void settleLast() {
    isAnswerable = false;
    if (!target.unsolicited().settle()) { // no message, nearly all are
      target.putOff();
      pullReceiver.refuseUnanswered();
    }
  }

  private boolean readOn(OutboxEntry into) {
    if (isStopped() || !reader.hasNext()) {
      endBurst();
      return false;
    }
    return reader.readNext(into);
  }

  private boolean pollArriving(OutboxEntry into) {
    return !isStopped() && (pullReceiver.poll(into) || target.pollArriving(into));
  }

  private void endBurst() {
    reader.end();
    if (isStopped()) {
      reassembler.drop();
    } else {
      target.settle();
      grants.onBurstEnd(lastNowNs);
    }
  }

  /** What is left of the burst is not read: its packets are about to go. */
  public void dropBurst() {
    if (reader.isReading()) {
      reader.end();
      reassembler.drop();
    }
  }

  private boolean isStopped() {
    return failure != null || transactions.isEnded();
  }

  // ------------------------------------------------------------------ outbound

  @Override
  public boolean hasRecords(WindowClass windowClass, long nowNs) {
    return !isStopped() && writer.hasRecords(windowClass);
  }

  @Override
  public int pullRecords(
      WindowClass windowClass, int psn, ByteBuffer to, int index, int limit, long nowNs) {
    lastNowNs = nowNs;
    return isStopped() ? 0 : writer.write(windowClass, psn, to, index, limit, nowNs);
  }

  @Override
  public int pulledRecordCount() {
    return writer.recordCount();
  }

  @Override
  public int completedRsnHint() {
    return target.window().base();
  }

  @Override
  public long creditLimitBytes() {
    return allowance.limitBytes();
  }

  @Override
  public boolean isCreditLimited() {
    return admission.isCreditStalled();
  }

  @Override
  public void onAcknowledged(AcknowledgementView view, long nowNs) {
    if (transactions.isEnded()) {
      return;
    }
    target.completions().onAcknowledged(view);
    cancellations.onAcknowledged(view);
    writer.onAcknowledged(view);
    if (initiator.receipts() != null) {
      initiator.receipts().onAcknowledged(view);
    }
  }

  @Override
  public void onRepacked(WindowClass windowClass, int psn) {
    if (windowClass == WindowClass.DATA && initiator.receipts() != null) {
      initiator.receipts().onRepacked(psn);
    }
  }

  /**
   * Transmission begins; {@link #onTransmitted} ends it.
   *
   * @param isAckDue whether a packet leaves for the acknowledgement's sake at least
   */
  public void onTransmitting(boolean isAckDue, long nowNs) {
    lastNowNs = nowNs;
    grants.onTransmitting();
    allowance.onTurn(path.leastRttNs(), nowNs);
    target.completions().onTransmitting(isAckDue, isPeerFinishing(), nowNs);
    if (admission.flushWindow().isOn()) {
      admission.onTransmitting(isAckDue || isStopped() || writer.hasOwed(), nowNs);
    }
  }

  /** The longest payload of a push that is given out whole from now on, bytes; negative = none. */
  public void wholeLengthMax(int lengthBytes) {
    target.unsolicited().wholeLengthMax(lengthBytes);
  }

  /** How long a submission waits for others from now on; what waits now goes. */
  public void flushWindowNs(long windowNs) {
    admission.flushWindow().windowNs(windowNs);
  }

  /** All that could be transmitted now has been. */
  public void onTransmitted() {
    grants.passUnusedTurn();
    admission.onTransmitted();
    target.completions().onTransmitted(lastNowNs);
  }

  /** Whether messages or answers wait for grants, and nothing else can leave. */
  public boolean isAwaitingGrants() {
    return initiator.isAwaitingGrants() || target.responder().isAwaitingGrants();
  }

  /**
   * Whether a submission waits for credit. With nothing unacknowledged no ACK will bring it: then
   * the peer is asked by PING.
   */
  public boolean wantsCreditPing() {
    return admission.isCreditStalled() && !isStopped();
  }

  // ------------------------------------------------------------------ verbs of the application

  /**
   * The source of {@code handle}, which had fewer bytes than asked for, has more: every message of
   * that handle goes on. From inside {@code copy} too; then the rest is asked for on the next turn
   * of the loop.
   */
  public void ready(long handle) {
    isReadyInside |= segmenter.ready(handle);
    initiator.ready(handle);
    target.responder().ready(handle);
  }

  /**
   * The application takes the peer's push {@code rsn} about which it was asked by an entry OPENED,
   * or had put it off.
   *
   * @param handle ≥ 0, names it in the entries that follow
   * @param isKeptWhole whether it is kept in memory until it is delivered, so that none of its
   *     bytes is taken before all are there: it is granted only once the node's budget has room for
   *     all of it, another range by range
   * @param untakenBytesMax how much of it may be granted and not yet taken, if it is written
   *     behind: it gets no more grants beyond that until some is taken. The node's budget may allow
   *     less, down to 64 KiB, and a lower bound counts as that. {@code Long.MAX_VALUE} if it is not
   * @return false if no answer is waited for, for the push was failed, given up or answered
   *     meanwhile: no entry names the handle
   */
  public boolean accept(long rsn, long handle, boolean isKeptWhole, long untakenBytesMax) {
    return !isStopped() && target.accept((int) rsn, handle, isKeptWhole, untakenBytesMax);
  }

  /**
   * It refuses it.
   *
   * @param isFromTransport whether {@code code} is RT's own, a {@link
   *     io.rtransport.core.wire.CloseCode}: then the application has not seen the push
   */
  public void refuse(long rsn, int code, boolean isFromTransport) {
    if (!isStopped()) {
      target.refuse((int) rsn, code, isFromTransport);
    }
  }

  /**
   * It has failed over bytes of the peer's push {@code rsn} that it had accepted, and that it was
   * not given whole. Its handle is dead with that.
   */
  public void failSink(long rsn) {
    if (!isStopped()) {
      target.failSink((int) rsn);
    }
  }

  /**
   * As {@link #accept}, of the answer to the own pull {@code rsn}. It is granted range by range
   * always: the puller has agreed to its length.
   */
  public boolean acceptAnswer(long rsn, long handle, long untakenBytesMax) {
    return !isStopped() && pullReceiver.accept((int) rsn, handle, untakenBytesMax);
  }

  /** As {@link #refuse}. */
  public void refuseAnswer(long rsn, int code, boolean isFromTransport) {
    if (!isStopped()) {
      pullReceiver.refuse((int) rsn, code, isFromTransport);
    }
  }

  /** As {@link #failSink}. */
  public void failAnswerSink(long rsn) {
    if (!isStopped()) {
      pullReceiver.failSink((int) rsn);
    }
  }

  /**
   * How much of the peer's push {@code rsn} may from now on be granted and not yet taken. Only of
   * one that is written behind, see {@link #accept}. Where it has waited at a lower one it goes on
   * when some of it is taken.
   */
  public void limitUntaken(long rsn, long bytes) {
    if (!isStopped()) {
      target.limitUntaken((int) rsn, bytes);
    }
  }

  /** The same for the answer to the own pull {@code rsn}. */
  public void limitUntakenOfPull(long rsn, long bytes) {
    if (!isStopped()) {
      pullReceiver.limitUntaken((int) rsn, bytes);
    }
  }

  /** The application took {@code bytes} of the peer's push {@code rsn}. */
  public void taken(long rsn, long bytes) {
    if (!isStopped()) {
      target.taken((int) rsn, bytes);
    }
  }

  /** The same for the answer to the own pull {@code rsn}. */
  public void takenOfPull(long rsn, long bytes) {
    if (!isStopped()) {
      pullReceiver.taken((int) rsn, bytes);
    }
  }

  /**
   * The peer's push {@code rsn}, which was put off, can be asked about again; it is, on the next
   * turn of the loop.
   */
  public void retryOpen(long rsn) {
    if (!isStopped()) {
      target.retryOpen((int) rsn);
    }
  }

  /** As {@link #retryOpen(long)}, for every push of the peer that was put off. */
  public void retryOpen() {
    if (!isStopped()) {
      target.retryOpen();
    }
  }

  /**
   * No new own transactions; FIN goes out. Those that were submitted, and all of the peer's, go on.
   */
  public void finish() {
    transactions.finish();
    writer.queueFin(false);
  }

  /**
   * As {@link #finish}, and new transactions of the peer are refused; unless it closes too it is
   * asked for its FIN.
   */
  public void close() {
    transactions.finish();
    writer.queueFin(!isPeerClosing());
    refuseNew();
  }

  /** New transactions of the peer are answered with COMPLETE_IN_ERROR(CLOSING) from now on. */
  public void refuseNew() {
    target.admission().refuse();
  }

  /** Whether the peer closes: it takes nothing that is begun from now on, and waits for our FIN. */
  public boolean isPeerClosing() {
    return target.admission().isPeerClosing();
  }

  /** Whether the peer's FIN has come: it begins nothing more. */
  public boolean isPeerFinishing() {
    return target.admission().hasFinal();
  }

  /**
   * Whether the peer begins nothing more, and all that it began has been handed to the application.
   */
  public boolean isPeerFinished() {
    return target.isAllDelivered();
  }

  /**
   * Whether both FINs are through and every transaction of both directions has ended and was told.
   */
  public boolean isFinished() {
    return writer.isFinAcknowledged()
        && transactions.isAllHandedUp()
        && cancellations.isSettled()
        && target.isFinished();
  }

  // ------------------------------------------------------------------ timers

  /**
   * When {@link #onTimeout} is due, {@code Long.MAX_VALUE} for never; in the past when there is
   * something to do at once.
   */
  public long nextDeadlineNs() {
    if (isStopped()) {
      return Long.MAX_VALUE;
    }
    if (target.isSettleDue() || isReadyInside || admission.isLookDue()) {
      return lastNowNs;
    }
    long ownNs = Math.min(admission.flushWindow().endNs(), target.completions().delayEndNs());
    return Math.min(grants.nextDeadlineNs(), ownNs);
  }

  public void onTimeout(long nowNs) {
    lastNowNs = nowNs;
    isReadyInside = false;
    admission.onLook();
    if (!isStopped()) {
      target.settle();
      grants.onTimeout(nowNs);
    }
  }

  // ---- told by the transaction sublayer

  @Override
  public void onAcknowledged(Transaction peer) {
    target.onAcknowledged(peer);
  }

  @Override
  public void onFailed(Transaction peer) {
    target.fail(peer);
  }

  @Override
  public void onResponding(Transaction peer) {
    target.responder().add(peer);
  }

  @Override
  public void onGivenUp(Transaction own) {
    cancellations.giveUp(own, admission.chargedBytes(own));
  }

  @Override
  public void onCancelled(Transaction own) {
    initiator.onCancelled(own);
  }

  @Override
  public int lowestUnsettled(int rsn) {
    return cancellations.lowestUnsettled(rsn);
  }

  @Override
  public int givenUpCount() {
    return cancellations.unsettledCount();
  }

  @Override
  public void onEnded(Transaction own) {
    initiator.onEnded(own);
  }

  @Override
  public void onRetired(Transaction own) {
    initiator.onRetired(own);
  }

  @Override
  public void onAbandoned(Transaction peer) {
    target.abandon(peer);
  }

  @Override
  public void onAllEnded() {
    pullReceiver.forget();
    reassembler.close();
    grants.close();
    cancellations.close();
    target.cancellations().close();
    allowance.close();
  }

  /** For tests and statistics: bytes of the node's budget that this connection holds. */
  public long heldBytes() {
    return grants.heldBytes();
  }

  /**
   * For tests and statistics: bytes of unsolicited credit that the peer has charged and not got
   * back.
   */
  public long creditUsedBytes() {
    return allowance.usedBytes();
  }

  /**
   * For tests and statistics: bytes of unsolicited credit that the peer has charged in all, as far
   * as its records have told.
   */
  public long creditChargedBytes() {
    return allowance.chargedBytes();
  }

  /** For tests and statistics: bytes of unsolicited credit that this side may still spend. */
  public long creditLeftBytes() {
    return admission.credit().limitBytes() - admission.credit().chargedBytes();
  }
}
