package io.rtransport.netty.node;

import io.rtransport.core.node.MessageKind;
import io.rtransport.core.node.NodeCode;

/**
 * A message that another node put here. The first answer counts; it may be given on any thread. A
 * PUT that wants no answer was answered by the node already.
 */
public final class NodePut {
  private final String from;
  private final MessageKind kind;
  private final byte[] header;
  private final byte[] payload;
  private final Execution execution;

  NodePut(String from, MessageKind kind, byte[] header, byte[] payload, Execution execution) {
    this.from = from;
    this.kind = kind;
    this.header = header;
    this.payload = payload;
    this.execution = execution;
  }

  /** Returns the name of its origin, as that has told it; not proved. */
  public String from() {
    return from;
  }

  /** Returns whether its origin waits for an answer. */
  public boolean wantsAnswer() {
    return kind == MessageKind.PUT_ACK;
  }

  /** Returns the application's header; the array is the caller's. */
  public byte[] header() {
    return header;
  }

  /** Returns the payload; the array is the caller's. */
  public byte[] payload() {
    return payload;
  }

  /** Says that the application has taken the message. Returns false if it was answered before. */
  public boolean acknowledge() {
    return execution.end(Execution.completed(), "");
  }

  /**
   * Says that the application could not.
   *
   * @param code of the application, 0..2,147,483,391
   * @param text for people; at most 256 bytes of UTF-8 arrive, and none at a repeated message
   * @return false if it was answered before
   */
  public boolean fail(int code, String text) {
    return execution.end(Execution.failed(checked(code)), text);
  }

  /** Says that the application threw. */
  void broke() {
    execution.end(Execution.failed(Execution.THREW_CODE), Execution.THREW);
  }

  static int checked(int code) {
    if (code < 0 || code > NodeCode.APPLICATION_CODE_MAX) {
      throw new IllegalArgumentException(
          "code=" + code + ", valid: 0.." + NodeCode.APPLICATION_CODE_MAX);
    }
    return code;
  }
}
