package io.rtransport.core.solicitation;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.transaction.ByteRanges;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.RangeLimit;
import io.rtransport.core.transaction.TransactionSublayer;
import io.rtransport.core.window.AcknowledgementView;
import io.rtransport.core.window.RecordSource;
import io.rtransport.core.wire.Flyweights;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;

/**
 * The solicitation sublayer of one connection: decides when messages may come and go, and in which
 * order (patent, Figures 5 to 12). It reads the records of arriving packets, and writes records
 * when the window below has room for them.
 *
 * <p>Its parts:
 *
 * <ul>
 *   <li>{@link Admission}, {@link Initiator} and {@link PullReceiver} are this connection as
 *       initiator, {@link Target} is it as target;
 *   <li>{@link Credit} and {@link CreditAllowance} are the two accounts of unsolicited bytes;
 *   <li>{@link GrantScheduler} asks for solicited bytes within the {@link NodeBudget};
 *   <li>{@link ReorderEngine} is CAM b;
 *   <li>{@link Segmenter} and {@link Reassembler} cut messages up and put them together;
 *   <li>{@link SinkVerbs} hears what the application says of payload that comes in;
 *   <li>{@link RsnWindow} and {@link CompletionTracker} know what has ended;
 *   <li>{@link RecordReader} reads the records that arrive, {@link RecordWriter} decides which
 *       records a packet takes.
 * </ul>
 *
 * <p>Its timers: grants that bring no byte and bytes that nobody takes ({@link GrantScheduler}),
 * the {@link FlushWindow}, and the {@link CompletionDelay}. A timer also expires at once when a
 * verb of the application left something to ask the application.
 *
 * <p>Confined to the connection's loop.
 */
public final class SolicitationSublayer implements RecordSource {
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
  private final SinkVerbs sinks;
  private final Failure failure = new Failure();

  private long lastNowNs;
  private boolean isReadyInside;

  /** Whether the application may still answer the last entry: until it asks for the next one. */
  private boolean isAnswerable;

  /**
   * @param transactions the sublayer above; this one attaches itself to it
   * @param waker called when the node's budget has room for this connection again: must lead to a
   *     transmission on this connection's loop. Any thread
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
    RangeLimit grantRanges = new RangeLimit(ByteRanges.RANGES_MAX);
    initiator =
        new Initiator(
            config,
            transactions,
            admission,
            grants,
            reorder,
            segmenter,
            cancellations,
            grantRanges,
            path,
            counters,
            write);
    pullReceiver =
        new PullReceiver(
            transactions, grants, reassembler, counters, failure, initiator::onRefused);
    target =
        new Target(
            config,
            transactions,
            allowance,
            grants,
            reorder,
            reassembler,
            segmenter,
            grantRanges,
            counters,
            write,
            failure);
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
    sinks = new SinkVerbs(target, pullReceiver, transactions, failure);
    transactions.attach(initiator, target);
  }

  /**
   * Returns which rule the peer broke, or null. After that the connection must end with
   * PROTOCOL_ERROR.
   */
  public String failure() {
    return failure.text();
  }

  // ------------------------------------------------------------------ inbound

  /**
   * Takes the packets that the sublayers below did not drop. {@link #poll} reads them. They must
   * stay in place until it returns false.
   */
  public void onBurst(PacketBurst burst, long nowNs) {
    lastNowNs = nowNs;
    reader.begin(burst, nowNs);
  }

  /**
   * Takes the next entry for the application, in order. Reads on in the burst until a record gives
   * an entry or ends an own transaction. Pushes that have completed come first: on a sending side
   * nearly all entries are these.
   *
   * @return false when there is none and the burst was read to its end
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

  /** Settles the last entry if the application has not answered it. */
  private void settleLast() {
    isAnswerable = false;
    if (!target.unsolicited().settle()) { // the last entry was no message; nearly all are
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

  /** Drops the rest of the burst, because its packets are about to be reused. */
  public void dropBurst() {
    if (reader.isReading()) {
      reader.end();
      reassembler.drop();
    }
  }

  private boolean isStopped() {
    return failure.text() != null || transactions.isEnded();
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
   * Notes that transmission begins; {@link #onTransmitted} ends it.
   *
   * @param isAckDue whether a packet leaves at least for the acknowledgement
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

  /**
   * Sets the longest payload of a push that is given out whole from now on, bytes; negative: none.
   */
  public void wholeLengthMax(int lengthBytes) {
    target.unsolicited().wholeLengthMax(lengthBytes);
  }

  /** Sets how long a submission waits for others from now on. Submissions that wait now go. */
  public void flushWindowNs(long windowNs) {
    admission.flushWindow().windowNs(windowNs);
  }

  /** Notes that everything that could be transmitted now was transmitted. */
  public void onTransmitted() {
    grants.passUnusedTurn();
    admission.onTransmitted();
    target.completions().onTransmitted(lastNowNs);
  }

  /** Returns whether messages or answers wait for grants, and nothing else can leave. */
  public boolean isAwaitingGrants() {
    return initiator.isAwaitingGrants() || target.responder().isAwaitingGrants();
  }

  /**
   * Returns whether a submission waits for credit. With nothing unacknowledged, no ACK will bring
   * credit: then the peer is asked by PING.
   */
  public boolean wantsCreditPing() {
    return admission.isCreditStalled() && !isStopped();
  }

  // ------------------------------------------------------------------ verbs of the application

  /**
   * Notes that the source of {@code handle} has more bytes, after it had fewer than asked for.
   * Every message of that handle goes on. May be called from inside {@code copy} too: then the rest
   * is asked for in the next turn of the loop.
   */
  public void ready(long handle) {
    isReadyInside |= segmenter.ready(handle);
    initiator.ready(handle);
    target.responder().ready(handle);
  }

  /** Returns what the application says of payload that comes in. */
  public SinkVerbs sinks() {
    return sinks;
  }

  /** Sets who takes the changes of the peer's network interfaces. */
  public void peerNis(PeerNis taker) {
    reader.peerNis(taker);
  }

  /**
   * Tells the peer that this side has a network interface more, or one less. Only for a peer that
   * knows rails.
   *
   * @return false if as many changes as allowed wait
   */
  public boolean tellNi(boolean isAdded, String nid) {
    return writer.queueNi(isAdded, nid);
  }

  /** Returns whether the peer does not have all changes of interfaces. */
  public boolean hasNiChange() {
    return writer.hasNiChange();
  }

  /**
   * Finishes: takes no new own transactions and sends FIN. Submitted transactions, and all of the
   * peer's, go on.
   */
  public void finish() {
    transactions.finish();
    writer.queueFin(false);
  }

  /**
   * Closes: like {@link #finish}, and refuses new transactions of the peer. Unless the peer closes
   * too, it is asked for its FIN.
   */
  public void close() {
    transactions.finish();
    writer.queueFin(!isPeerClosing());
    refuseNew();
  }

  /** Answers new transactions of the peer with COMPLETE_IN_ERROR(CLOSING) from now on. */
  public void refuseNew() {
    target.admission().refuse();
  }

  /**
   * Returns whether the peer closes: it takes nothing that is begun from now on, and waits for our
   * FIN.
   */
  public boolean isPeerClosing() {
    return target.admission().isPeerClosing();
  }

  /** Returns whether the peer's FIN has come: it begins nothing more. */
  public boolean isPeerFinishing() {
    return target.admission().hasFinal();
  }

  /**
   * Returns whether the peer begins nothing more and everything that it began was handed to the
   * application.
   */
  public boolean isPeerFinished() {
    return target.isAllDelivered();
  }

  /**
   * Returns whether both FINs have arrived, and every transaction of both directions has ended and
   * was told.
   */
  public boolean isFinished() {
    return writer.isFinAcknowledged()
        && transactions.isAllHandedUp()
        && cancellations.isSettled()
        && target.isFinished();
  }

  // ------------------------------------------------------------------ timers

  /**
   * Returns when {@link #onTimeout} is due, {@code Long.MAX_VALUE} for never. A time in the past
   * means that there is something to do at once.
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

  /**
   * Ends every transaction, because the connection ended: {@link TransactionSublayer#endAll}. Gives
   * back all that the connection holds of its node and its loop.
   */
  public void endAll(int code, String text) {
    if (transactions.isEnded()) {
      return;
    }
    transactions.endAll(code, text);
    pullReceiver.forget();
    reassembler.close();
    grants.close();
    cancellations.close();
    target.cancellations().close();
    allowance.close();
  }

  // ------------------------------------------------------------------ for tests and statistics

  /** Returns how many own RSNs were given up without the peer certainly knowing it. */
  public int givenUpCount() {
    return initiator.givenUpCount();
  }

  /**
   * Returns the bytes of the node's budget that this connection holds, for tests and statistics.
   */
  public long heldBytes() {
    return grants.heldBytes();
  }

  /**
   * Returns the bytes of unsolicited credit that the peer has charged and not got back, for tests
   * and statistics.
   */
  public long creditUsedBytes() {
    return allowance.usedBytes();
  }

  /**
   * Returns all bytes of unsolicited credit that the peer has charged, as far as its records have
   * told, for tests and statistics.
   */
  public long creditChargedBytes() {
    return allowance.chargedBytes();
  }

  /**
   * Returns the bytes of unsolicited credit that this side may still spend, for tests and
   * statistics.
   */
  public long creditLeftBytes() {
    return admission.credit().limitBytes() - admission.credit().chargedBytes();
  }
}
