package io.rtransport.core.stats;

/**
 * Messages of a node to one peer, over all of its ways, since the node was opened. A message that
 * was refused at once, because too many or too large ones wait, is not counted. Counts that are
 * read while messages are under way may differ by these. Source: LNet Health, "Progress", 55.
 *
 * @param messages those that were taken to be sent
 * @param completed those that the peer has, or has answered
 * @param failed those that the peer's application has refused
 * @param unknown those that ended without an answer, and may have been executed
 * @param notExecuted those that ended without an answer, and surely were not executed
 * @param attempts how often a message was given to a connection
 * @param againAfterLoss attempts that were begun because the one before had ended without an
 *     answer, or the peer had forgotten this node
 * @param againAfterSilence likewise, because its router did not answer
 * @param againAfterNoWay likewise, because its router had no way on
 * @param attemptTimes times of the attempts that were answered
 * @param completedTimes times of the completed messages from their taking to their end: of all
 *     their attempts, and what they waited for a connection
 */
public record PeerStats(
    long messages,
    long completed,
    long failed,
    long unknown,
    long notExecuted,
    long attempts,
    long againAfterLoss,
    long againAfterSilence,
    long againAfterNoWay,
    MessageTimes attemptTimes,
    MessageTimes completedTimes) {
  /** Returns how many messages have not ended. */
  public long open() {
    return Math.max(0, messages - completed - failed - unknown - notExecuted);
  }
}
