package io.rtransport.core.window;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.window.RxWindow.Verdict;
import io.rtransport.core.wire.AckFlyweight;
import io.rtransport.core.wire.ClearHeaderFlyweight;
import io.rtransport.core.wire.Flyweights;
import io.rtransport.core.wire.NumberedHeaderFlyweight;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.WindowClass;

/**
 * Decides which arriving packets are handed up. A numbered packet passes if its acknowledgements
 * are possible and its receive window has not seen it. {@link AcknowledgementReader} hears what
 * packets acknowledge, {@link AckScheduler} what has arrived and must be acknowledged.
 */
final class PacketIntake {
  private final AcknowledgementReader reader;
  private final RxWindow requests;
  private final RxWindow data;
  private final AckScheduler acks;
  private final Counters counters;
  private final NumberedHeaderFlyweight header;
  private final AckFlyweight ack;

  /** Null until a second path is opened. */
  private PathWatch watch;

  /** Null until a packet came again that asks for its acknowledgement. */
  private UnheardAcks unheard;

  PacketIntake(
      AcknowledgementReader reader,
      RxWindow requests,
      RxWindow data,
      AckScheduler acks,
      Counters counters,
      Flyweights read) {
    this.reader = reader;
    this.requests = requests;
    this.data = data;
    this.acks = acks;
    this.counters = counters;
    this.header = read.header;
    this.ack = read.ack;
  }

  /** Tells {@code of} from now on by which paths numbered packets come. */
  void watch(PathWatch of) {
    watch = of;
  }

  /** Returns whether the last packets show that the peer hears nothing. Forgets it then. */
  boolean takeUnheard() {
    return unheard != null && unheard.take();
  }

  /**
   * Takes the packets of a burst, and drops those that are not handed up.
   *
   * @return one bit for each path that a packet of the burst came by
   */
  int onBurst(PacketBurst burst, long nowNs) {
    int arrivals = 0;
    for (int i = 0; i < burst.count(); i++) {
      if (burst.isDropped(i)) {
        continue;
      }
      arrivals |= burst.pathIndex(i) < 0 ? 0 : 1 << burst.pathIndex(i);
      if (!isKept(burst, i, nowNs)) {
        burst.drop(i);
      }
    }
    return arrivals;
  }

  private boolean isKept(PacketBurst burst, int i, long nowNs) {
    return switch (PacketType.of(burst, i)) {
      case PacketType.REQUEST -> onNumbered(WindowClass.REQUEST, requests, burst, i, nowNs);
      case PacketType.DATA -> onNumbered(WindowClass.DATA, data, burst, i, nowNs);
      case PacketType.ACK -> onAck(burst, i, nowNs);
      default -> true;
    };
  }

  private boolean onAck(PacketBurst burst, int i, long nowNs) {
    counters.increment(CounterId.ACKS_RECEIVED);
    int bodyOffset = burst.offset(i) + ClearHeaderFlyweight.HEADER_LENGTH;
    return reader.onBody(ack.wrap(burst.buffer(i), bodyOffset), burst.pathIndex(i), nowNs);
  }

  private boolean onNumbered(
      WindowClass windowClass, RxWindow window, PacketBurst burst, int i, long nowNs) {
    header.wrap(burst.buffer(i), burst.offset(i));
    if (!reader.onBases(header.requestAckBase(), header.dataAckBase(), nowNs)) {
      return false;
    }
    if (header.hasAckBlock()
        && !reader.onBody(
            ack.wrap(burst.buffer(i), header.ackBlockOffset()), burst.pathIndex(i), nowNs)) {
      return false;
    }
    boolean hadGap = window.hasGap();
    Verdict verdict = window.onPacket(header.psn());
    acks.onPacket(windowClass, verdict, hadGap, burst.length(i), header.isAckRequested(), nowNs);
    acks.onPath(
        header.pathId(), header.transmissionSequence(), verdict == Verdict.DUPLICATE, nowNs);
    boolean isAskedAgain = verdict == Verdict.DUPLICATE && header.isAckRequested();
    acks.onArrival(burst.pathIndex(i), isAskedAgain, nowNs);
    if (isAskedAgain) {
      unheard = unheard == null ? new UnheardAcks() : unheard;
      unheard.onAskedAgain(
          windowClass == WindowClass.REQUEST, header.psn(), header.transmissionSequence());
    }
    if (watch != null) {
      watch.onReceived(burst.pathIndex(i), nowNs);
    }
    counters.increment(
        switch (verdict) {
          case NEW -> CounterId.PACKETS_NUMBERED_RECEIVED;
          case DUPLICATE -> CounterId.DUPLICATES_RECEIVED;
          case OUT_OF_WINDOW -> CounterId.OUT_OF_WINDOW_RECEIVED;
        });
    return verdict == Verdict.NEW;
  }
}
