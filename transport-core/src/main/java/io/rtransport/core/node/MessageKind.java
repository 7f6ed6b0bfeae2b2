package io.rtransport.core.node;

/** Kind of a node's message. Source: LNet Health, "PUT, ACK, GET, REPLY". */
public enum MessageKind {
  /** A push that ends when the target's node has it. */
  PUT(1),
  /** A push that ends when the target's application has answered it. */
  PUT_ACK(2),
  /** A pull. */
  GET(3),
  /** The first message of a connection: who each side is. */
  HELLO(4);

  private final int wireValue;

  MessageKind(int wireValue) {
    this.wireValue = wireValue;
  }

  /** Returns the value in a {@link NodeHeader}. */
  int wireValue() {
    return wireValue;
  }

  /** Returns the kind with this value, or null. */
  static MessageKind of(int wireValue) {
    for (MessageKind kind : values()) {
      if (kind.wireValue == wireValue) {
        return kind;
      }
    }
    return null;
  }
}
