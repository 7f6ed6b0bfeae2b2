package io.rtransport.loadgen.impair;

import io.netty.buffer.ByteBuf;
import java.util.function.BooleanSupplier;
import java.util.function.LongPredicate;

/**
 * One direction of one client through the proxy. It carries out the decisions of the link, and
 * counts them. Confined to its event loop.
 */
final class ProxyDirection implements ProxyOutput {
  private final LinkModel link;
  private final DelayLine line;
  private final ProxyOutput output;
  private final BooleanSupplier isDark;
  private final LongPredicate cut;
  private long arrived;
  private long cutOff;
  private long forwarded;
  private long droppedDark;
  private long overflowed;

  ProxyDirection(LinkModel link, DelayLine line, ProxyOutput output) {
    this(link, line, output, () -> false, nth -> false);
  }

  /**
   * Creates the direction.
   *
   * @param isDark whether datagrams are dropped now
   * @param cut of the nth datagram, from 0: whether it is lost before the link decides
   */
  ProxyDirection(
      LinkModel link,
      DelayLine line,
      ProxyOutput output,
      BooleanSupplier isDark,
      LongPredicate cut) {
    this.link = link;
    this.line = line;
    this.output = output;
    this.isDark = isDark;
    this.cut = cut;
  }

  /** Takes a datagram. The caller keeps its reference. */
  void onDatagram(ByteBuf datagram, long nowNs) {
    line.release(nowNs); // earlier datagrams go first, even if the loop's timer is late
    long nth = arrived++;
    if (isDark.getAsBoolean()) {
      droppedDark++;
      return;
    }
    if (cut.test(nth)) {
      cutOff++;
      return;
    }
    int copies = link.onDatagram(datagram.readableBytes(), nowNs);
    for (int i = 0; i < copies; i++) {
      ByteBuf copy = link.corruptBit() < 0 ? datagram.retainedDuplicate() : corrupted(datagram);
      if (link.dueNs() <= nowNs) {
        write(copy);
      } else if (!line.add(link.dueNs(), owned(copy), this, nowNs)) {
        overflowed++;
      }
    }
  }

  private ByteBuf corrupted(ByteBuf datagram) {
    ByteBuf copy = datagram.copy();
    int index = copy.readerIndex() + (int) (link.corruptBit() >>> 3);
    copy.setByte(index, copy.getByte(index) ^ 1 << (link.corruptBit() & 7));
    return copy;
  }

  /** Copies a slice. While it waits, it would hold its whole read buffer. */
  private static ByteBuf owned(ByteBuf slice) {
    ByteBuf copy = slice.alloc().directBuffer(slice.readableBytes()).writeBytes(slice);
    slice.release();
    return copy;
  }

  /** Forwards a datagram that is due, unless the rail has gone dark while it waited. */
  @Override
  public void write(ByteBuf datagram) {
    if (isDark.getAsBoolean()) {
      droppedDark++;
      datagram.release();
      return;
    }
    forwarded++;
    output.write(datagram);
  }

  @Override
  public void flush() {
    output.flush();
  }

  /** Returns what was done so far. */
  DirectionCounts counts() {
    return new DirectionCounts(
        arrived,
        link.counts().duplicated(),
        forwarded,
        link.counts().lost() + cutOff,
        link.counts().queueDropped() + overflowed,
        droppedDark);
  }

  /** Returns what the link decided so far. */
  LinkModel.Counts link() {
    return link.counts();
  }
}
