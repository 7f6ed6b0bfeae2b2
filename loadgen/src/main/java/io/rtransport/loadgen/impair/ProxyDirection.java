package io.rtransport.loadgen.impair;

import io.netty.buffer.ByteBuf;

/** One direction of one client through the proxy: the link's verdict carried out. Confined to its event loop. */
final class ProxyDirection {
  private final LinkModel link;
  private final DelayLine line;
  private final ProxyOutput output;

  ProxyDirection(LinkModel link, DelayLine line, ProxyOutput output) {
    this.link = link;
    this.line = line;
    this.output = output;
  }

  /** Takes a datagram; the caller keeps its reference. */
  void onDatagram(ByteBuf datagram, long nowNs) {
    line.release(nowNs); // what was due before goes first, however late the loop's timer is
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

  /** A slice of a read buffer would hold all of it while it waits. */
  private static ByteBuf owned(ByteBuf slice) {
    ByteBuf copy = slice.alloc().directBuffer(slice.readableBytes()).writeBytes(slice);
    slice.release();
    return copy;
  }

  void flush() {
    output.flush();
  }

  LinkModel.Counts counts() {
    return link.counts();
  }
}
