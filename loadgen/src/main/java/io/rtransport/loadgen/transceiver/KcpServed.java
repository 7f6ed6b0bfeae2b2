package io.rtransport.loadgen.transceiver;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.rtransport.loadgen.transceiver.TransceiverSettings.Op;
import io.rtransport.loadgen.workload.MessageContents;
import io.rtransport.loadgen.workload.MessageHeader;
import kcp.KcpListener;
import kcp.Ukcp;

/**
 * KCP connections of one socket of the server. It verifies messages, and acknowledges (once for
 * each batch), echoes or answers. Its clients limit its work, because each counts its own requests.
 * Confined to its event loop.
 */
final class KcpServed implements KcpListener {
  private final TransceiverSettings settings;
  private final EventLoop loop;
  private final Ledger ledger;
  private final KcpWriter writer;

  private final class Peer {
    final WorkCounter counter = ledger.open(loop);
    final MessageStream stream = new MessageStream(counter.verifier, Integer.MAX_VALUE, () -> {});
    final Ukcp kcp;
    boolean hasEnded;

    Peer(Ukcp kcp) {
      this.kcp = kcp;
    }

    void onReceive(ByteBuf in) {
      int index = in.readerIndex();
      if (settings.op() == Op.PULL) {
        writer.message(
            kcp,
            MessageHeader.sequence(in, index),
            MessageHeader.lengthBytes(in, index),
            MessageHeader.isMeasured(in, index));
        return;
      }
      if (settings.op() == Op.ECHO) {
        kcp.write(in);
      }
      if (!stream.feed(in, index, in.writerIndex())) {
        kcp.close();
      }
      if (!hasEnded) {
        hasEnded = true;
        loop.execute(this::endBatch);
      }
    }

    void endBatch() {
      hasEnded = false;
      counter.verifier.onBatchEnd(System.nanoTime());
      if (settings.op() == Op.PUSH && kcp.isActive()) {
        writer.number(kcp, counter.verifier.messages());
      }
    }
  }

  KcpServed(TransceiverSettings settings, int mtuBytes, EventLoop loop, Ledger ledger) {
    this.settings = settings;
    this.loop = loop;
    this.ledger = ledger;
    this.writer =
        new KcpWriter(
            mtuBytes, new MessageContents(settings.seed(), settings.sizes().sizeBytesMax()));
  }

  @Override
  public void onConnected(Ukcp kcp) {
    kcp.user().setCache(new Peer(kcp));
  }

  @Override
  public void handleReceive(ByteBuf in, Ukcp kcp) {
    Peer peer = kcp.user().getCache();
    peer.onReceive(in);
  }

  @Override
  public void handleException(Throwable cause, Ukcp kcp) {
    kcp.close();
  }

  @Override
  public void handleClose(Ukcp kcp) {}
}
