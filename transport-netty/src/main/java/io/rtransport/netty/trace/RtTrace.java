package io.rtransport.netty.trace;

import io.rtransport.netty.RtChannel;
import io.rtransport.netty.handler.WireHandler;

/**
 * Traces channels. Add it in a channel's initializer, before the first packet and before the
 * application's handlers. One trace may follow any number of channels; each line names its channel.
 * {@code docs/guide/watching.md} lists the fields of the lines.
 *
 * <p>Threads: any; lines come on each channel's event loop.
 */
public final class RtTrace {
  private static final String TRANSACTION = "rt-transaction";

  private final TraceOutput output;
  private final boolean hasPackets;

  private RtTrace(TraceOutput output, boolean hasPackets) {
    this.output = output;
    this.hasPackets = hasPackets;
  }

  /** Traces transactions, and each packet with its records. */
  public static RtTrace ofPackets(TraceOutput output) {
    return new RtTrace(output, true);
  }

  /** Traces transactions and the channel's events only. */
  public static RtTrace ofTransactions(TraceOutput output) {
    return new RtTrace(output, false);
  }

  /** Traces {@code channel} from now on. */
  public void addTo(RtChannel channel) {
    TraceLines lines = new TraceLines(channel, output);
    if (hasPackets) {
      channel.pipeline().addAfter(WireHandler.NAME, "rt-trace-packets", new PacketTrace(lines));
    }
    channel.pipeline().addAfter(TRANSACTION, "rt-trace-transactions", new TransactionTrace(lines));
  }
}
