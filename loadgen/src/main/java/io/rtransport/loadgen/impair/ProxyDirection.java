package io.rtransport.loadgen.impair;

import io.netty.buffer.ByteBuf;
import java.util.function.LongPredicate;

/**
 * One direction of one client through the proxy. It carries out the decisions of the link. Confined
 * to its event loop.
 */
final class ProxyDirection {
  private final LinkModel link;
  private final DelayLine line;
  private final ProxyOutput output;
  private final LongPredicate cut;
  private long arrived;
  private long cutOff;

  ProxyDirection(LinkModel link, DelayLine line, ProxyOutput output) {
    this(link, line, output, nth -> false);
  }

  /**
   * Creates the direction.
   *
   * @param cut of the nth datagram, from 0: whether it is lost before the link decides
   */
  ProxyDirection(LinkModel link, DelayLine line, ProxyOutput output, LongPredicate cut) {
    this.link = link;
    this.line = line;
    this.output = output;
    this.cut = cut;
  }

  /** Takes a datagram. The caller keeps its reference. */
  void onDatagram(ByteBuf datagram, long nowNs) {
    line.release(nowNs); // earlier datagrams go first, even if the loop's timer is late
    if (cut.test(arrived++)) {
      cutOff++;
      return;
    }
    int copies = link.onDatagram(datagram.readableBytes(), nowNs);
    for (int i = 0; i < copies; i++) {
      ByteBuf copy = link.corruptBit() < 0 ? datagram.retainedDuplicate() : corrupted(datagram);
      if (link.dueNs() <= nowNs) {
        output.write(copy);
      } else {
        line.add(link.dueNs(), owned(copy), output, nowNs);
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

  void flush() {
    output.flush();
  }

  /** Returns the datagrams lost on purpose. */
  long cutOff() {
    return cutOff;
  }

  LinkModel.Counts counts() {
    return link.counts();
  }
}
