package io.rtransport.netty.queue;

import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCountUtil;
import io.rtransport.core.connection.ApplicationVerbs;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.queue.AnswerRing;

/** Gives the core what the consumer has answered to messages and requests. Loop-confined. */
final class Answers {
  private final Outgoing outgoing;
  private final Incoming incoming;
  private ApplicationVerbs verbs;
  private AnswerRing ring; // null until the consumer has seen the connection

  Answers(Outgoing outgoing, Incoming incoming) {
    this.outgoing = outgoing;
    this.incoming = incoming;
  }

  void begin(ApplicationVerbs ofConnection) {
    verbs = ofConnection;
  }

  void attach(ConnectionRings rings) {
    ring = rings.answers;
  }

  /** Takes all that waits. */
  void take() {
    if (ring == null) {
      return; // a connection that the consumer has no room for closes
    }
    while (ring.hasNext()) {
      int kind = ring.kind();
      long number = ring.number();
      long code = ring.code();
      Object detail = ring.take();
      if (kind == ConnectionRings.ACKNOWLEDGE_RUN) {
        verbs.acknowledge(number, (int) code);
        incoming.onAnswered((int) code, ConnectionRings.NO_BUFFER);
        continue;
      }
      answer(kind, number, (int) code, detail);
      incoming.onAnswered(1, (int) (code >>> Integer.SIZE) - 1);
    }
    incoming.onRoom(); // the consumer may have freed bytes without an answer
  }

  private void answer(int kind, long rsn, int code, Object detail) {
    switch (kind) {
      case ConnectionRings.ACKNOWLEDGE -> verbs.acknowledge(rsn);
      case ConnectionRings.FAIL -> verbs.fail(rsn, code, (String) detail);
      case ConnectionRings.RESPOND -> outgoing.respond(rsn, (ByteBuf) detail);
      case ConnectionRings.HEARD -> {
        // the end of the peer's input needs no answer, but its place is free
      }
      default -> verbs.failByTransport(rsn, CloseCode.APPLICATION_ERROR, true);
    }
  }

  /** Releases what was lent, and what was answered and not taken: no answer follows. */
  void dispose() {
    while (ring.hasNext()) {
      ReferenceCountUtil.release(ring.take());
    }
    incoming.releaseLent();
  }
}
