package io.rtransport.netty.internal.stat;

import java.util.List;

/**
 * Messages of one node of this process. They count since it was opened.
 *
 * @param name its name
 * @param peers its peers, in the order of their names
 */
public record NodeReport(String name, List<Peer> peers) {
  /**
   * Messages to one peer.
   *
   * @param messages those that were taken to be sent
   * @param completed those that the peer has, or has answered
   * @param failed those that its application has refused
   * @param unknown those that ended without an answer, and may have been executed
   * @param notExecuted those that ended without an answer, and surely were not executed
   * @param attempts how often a message was given to a connection
   * @param againAfterLoss attempts that were begun because the one before had ended without answer
   * @param againAfterSilence likewise, because its router did not answer
   * @param againAfterNoWay likewise, because its router had no way on
   * @param attemptMeanNs mean time of the attempts that were answered, ns
   * @param completedMeanNs mean time of completed messages, ns
   */
  public record Peer(
      String name,
      long messages,
      long completed,
      long failed,
      long unknown,
      long notExecuted,
      long attempts,
      long againAfterLoss,
      long againAfterSilence,
      long againAfterNoWay,
      long attemptMeanNs,
      long completedMeanNs) {
    /** Returns the messages that have not ended. */
    long open() {
      return Math.max(0, messages - completed - failed - unknown - notExecuted);
    }
  }
}
