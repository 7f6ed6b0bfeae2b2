package io.rtransport.core.window;

import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.wire.AckFlyweight;
import io.rtransport.core.wire.WindowClass;

/**
 * Decides whether acknowledgements are valid, and retires packets. An acknowledgement that names a
 * packet never sent is refused completely and counted. {@link Limits#ACKS_OF_UNSENT_MAX} of them
 * end the connection. A window whose base is below BSN is stale and is ignored. The path reports of
 * the same acknowledgement are not: they are judged by their own sequence. A path that is slower
 * than the others would otherwise never be heard.
 *
 * <p>{@link io.rtransport.core.wire.PacketDoor} has checked the structure. This class checks that
 * the numbers are plausible, before anything changes.
 */
final class AcknowledgementReader {
  private final SentPackets sent;
  private int unsentCount;
  private boolean hasNews;

  AcknowledgementReader(SentPackets sent) {
    this.sent = sent;
  }

  /** Returns whether the peer acknowledged a packet that was never sent. */
  boolean hasRefused() {
    return unsentCount > 0;
  }

  /** Returns whether that happened often enough to end the connection. */
  boolean hasFailed() {
    return unsentCount >= Limits.ACKS_OF_UNSENT_MAX;
  }

  /** Returns whether packets were retired since the last call. */
  boolean takeNews() {
    boolean had = hasNews;
    hasNews = false;
    return had;
  }

  /** Handles the two bases of a numbered header. Returns false if they must be refused. */
  boolean onBases(int requestBase, int dataBase, long nowNs) {
    TxWindow requests = sent.window(WindowClass.REQUEST);
    TxWindow data = sent.window(WindowClass.DATA);
    if (requestBase == requests.bsn() && dataBase == data.bsn()) {
      return true;
    }
    if (requests.isBeyondSent(requestBase) || data.isBeyondSent(dataBase)) {
      return refuse();
    }
    if (requests.isStaleBase(requestBase) || data.isStaleBase(dataBase)) {
      sent.counters().increment(CounterId.ACK_STALE);
    }
    takeBase(WindowClass.REQUEST, requests, requestBase, nowNs);
    takeBase(WindowClass.DATA, data, dataBase, nowNs);
    end(requests, data, nowNs);
    return true;
  }

  /**
   * Handles the body of an ACK packet, or an ACK block. Returns false if it must be refused.
   *
   * @param arrivalIndex index of the path that it came by; −1 for none
   */
  boolean onBody(AckFlyweight ack, int arrivalIndex, long nowNs) {
    TxWindow requests = sent.window(WindowClass.REQUEST);
    TxWindow data = sent.window(WindowClass.DATA);
    if (isBeyondSent(requests, ack, true) || isBeyondSent(data, ack, false)) {
      return refuse();
    }
    // A sender that respects the peer's window never gets this flag. The flag changes nothing: a
    // dropped packet is lost like any other and is resent.
    if ((ack.flags() & (AckFlyweight.FLAG_OWN_REQUEST | AckFlyweight.FLAG_OWN_DATA)) != 0) {
      sent.counters().increment(CounterId.OUT_OF_WINDOW_REPORTED);
    }
    boolean isRequestStale = requests.isStaleBase(ack.requestBase());
    boolean isDataStale = data.isStaleBase(ack.dataBase());
    if (isRequestStale || isDataStale) {
      sent.counters().increment(CounterId.ACK_STALE);
    }
    takePaths(ack, arrivalIndex, nowNs);
    if (!isRequestStale) {
      takeBase(WindowClass.REQUEST, requests, ack.requestBase(), nowNs);
      takeWords(WindowClass.REQUEST, requests, ack, nowNs);
    }
    if (!isDataStale) {
      takeBase(WindowClass.DATA, data, ack.dataBase(), nowNs);
      takeWords(WindowClass.DATA, data, ack, nowNs);
    }
    end(requests, data, nowNs);
    return true;
  }

  private boolean refuse() {
    sent.counters().increment(CounterId.ACK_OF_UNSENT);
    unsentCount++;
    return false;
  }

  private static boolean isBeyondSent(TxWindow window, AckFlyweight ack, boolean isRequest) {
    int base = isRequest ? ack.requestBase() : ack.dataBase();
    if (window.isBeyondSent(base)) {
      return true;
    }
    int count = isRequest ? ack.requestWordCount() : ack.dataWordCount();
    int wordPsn = firstWordPsn(ack, isRequest);
    for (int i = 0; i < count; i++, wordPsn += 64) {
      if (window.isBeyondSent(wordPsn, isRequest ? ack.requestWord(i) : ack.dataWord(i))) {
        return true;
      }
    }
    return false;
  }

  private static int firstWordPsn(AckFlyweight ack, boolean isRequest) {
    return isRequest
        ? (ack.requestBase() & ~63) + (ack.requestWordOffset() << 6)
        : (ack.dataBase() & ~63) + (ack.dataWordOffset() << 6);
  }

  private void takePaths(AckFlyweight ack, int arrivalIndex, long nowNs) {
    boolean isSingle = sent.paths().isSingle();
    for (int i = 0; i < ack.pathCount(); i++) {
      int index = sent.pathIndex(ack.pathId(i));
      if (index != RetransmissionEngine.NONE) {
        Path path = sent.path(index);
        boolean isSample = isSingle || index == arrivalIndex;
        path.onHighest(ack.pathHighestSequence(i), ack.pathHeldMicros(i) * 1_000, isSample, nowNs);
        int spurious = path.onDuplicates(ack.pathDuplicates(i), nowNs);
        sent.counters().add(CounterId.RETRANSMITS_SPURIOUS, spurious);
      }
    }
  }

  private void takeBase(WindowClass windowClass, TxWindow window, int base, long nowNs) {
    for (int psn = window.bsn() & ~63; psn - base < 0; psn += 64) {
      sent.retire(windowClass, psn, window.acknowledgeBelow(psn, base), nowNs);
    }
  }

  private void takeWords(WindowClass windowClass, TxWindow window, AckFlyweight ack, long nowNs) {
    boolean isRequest = windowClass == WindowClass.REQUEST;
    int count = isRequest ? ack.requestWordCount() : ack.dataWordCount();
    int wordPsn = firstWordPsn(ack, isRequest);
    for (int i = 0; i < count; i++, wordPsn += 64) {
      long word = isRequest ? ack.requestWord(i) : ack.dataWord(i);
      sent.retire(windowClass, wordPsn, window.acknowledge(wordPsn, word), nowNs);
    }
  }

  private void end(TxWindow requests, TxWindow data, long nowNs) {
    requests.advance();
    data.advance();
    boolean isAnyRetired = false;
    for (int i = 0; i < sent.pathCount(); i++) {
      Path path = sent.path(i);
      if (path != null) {
        sent.probes().onNeedless(path.blindResends().settle());
        isAnyRetired |= path.onAcknowledgementEnd(nowNs);
      }
    }
    if (isAnyRetired) {
      sent.onProgress(nowNs);
      hasNews = true;
    }
  }
}
