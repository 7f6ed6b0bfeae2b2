package io.rtransport.netty.trace;

/**
 * Takes a trace's lines. Called on the channel's event loop, so it must not block: pass the lines
 * on, as {@link TraceFile} does.
 */
@FunctionalInterface
public interface TraceOutput {
  /**
   * @param line one JSON object, without a line end
   */
  void accept(String line);
}
