/**
 * The protocol: no I/O, no threads, no clock and no randomness of its own. To all it exports what
 * stands in the signatures of {@code io.rtransport.netty}, and what is read to set, watch or trace
 * a transport; the rest is for the modules that drive the core.
 */
@SuppressWarnings("module") // those it is exported to are not here yet when it is compiled
module io.rtransport.core {
  requires org.agrona;

  exports io.rtransport.core.adp;
  exports io.rtransport.core.burst;
  exports io.rtransport.core.outcome;
  exports io.rtransport.core.parameter;
  exports io.rtransport.core.rail;
  exports io.rtransport.core.stats;
  exports io.rtransport.core.text;
  exports io.rtransport.core.connection to
      io.rtransport.netty;
  exports io.rtransport.core.congestion to
      io.rtransport.netty;
  exports io.rtransport.core.cam to
      io.rtransport.netty;
  exports io.rtransport.core.json to
      io.rtransport.netty;
  exports io.rtransport.core.node to
      io.rtransport.netty;
  exports io.rtransport.core.queue to
      io.rtransport.netty;
  exports io.rtransport.core.solicitation to
      io.rtransport.netty;
  exports io.rtransport.core.time to
      io.rtransport.netty;
  exports io.rtransport.core.transaction to
      io.rtransport.netty;
  exports io.rtransport.core.window to
      io.rtransport.netty;
  exports io.rtransport.core.wire to
      io.rtransport.netty;
}
