package io.rtransport.netty.trace;

/**
 * Where a trace's lines go. Called on the channel's event loop, so it must not block: hand lines
 * over, as {@link TraceFile} does.
 */
@FunctionalInterface
public interface TraceOutput {
  /**
   * @param line one JSON object, without a line end
   */
  void accept(String line);
}
