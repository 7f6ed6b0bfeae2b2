package io.rtransport.core.outcome;

/** How a node's message ended, for its origin. Each ends exactly once. */
public enum MessageStatus {
  /** PUT: the target's node has it. PUT_ACK and GET: the target's application has answered. */
  COMPLETED,
  /** The target's application answered with an error. */
  FAILED,
  /** Its time was over, or there were no attempts left. It was surely not executed. */
  NOT_EXECUTED,
  /** Nobody can say whether it was executed, or will be. It is executed once at most. */
  UNKNOWN
}
