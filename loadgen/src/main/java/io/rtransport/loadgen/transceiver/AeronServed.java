package io.rtransport.loadgen.transceiver;

import io.aeron.ControlledFragmentAssembler;
import io.aeron.ExclusivePublication;
import io.aeron.Image;
import io.aeron.logbuffer.ControlledFragmentHandler.Action;
import io.aeron.logbuffer.Header;
import io.netty.buffer.ByteBuf;
import io.rtransport.loadgen.transceiver.TransceiverSettings.Op;
import io.rtransport.loadgen.workload.MessageContents;
import io.rtransport.loadgen.workload.MessageHeader;
import org.agrona.DirectBuffer;

/**
 * One Aeron connection of the server. It verifies messages, and acknowledges, echoes or answers on
 * the publication back to this client. While it cannot send an answer back, it does not read the
 * image any further, which finally stops the client. Confined to its event loop.
 */
final class AeronServed implements PollDuty {
  private final Op op;
  private final WorkCounter counter;
  private final Image image;
  private final ExclusivePublication publication;
  private final AeronWriter writer;
  private final AeronViews views = new AeronViews();
  private final ControlledFragmentAssembler assembler =
      new ControlledFragmentAssembler(this::onMessage);
  private final MessageStream stream;
  private boolean isBroken;
  private long acknowledged;

  AeronServed(
      Op op,
      MessageContents contents,
      WorkCounter counter,
      Image image,
      ExclusivePublication publication) {
    this.op = op;
    this.counter = counter;
    this.image = image;
    this.publication = publication;
    this.writer = new AeronWriter(publication, contents);
    this.stream = new MessageStream(counter.verifier, Integer.MAX_VALUE, () -> {});
  }

  @Override
  public int poll() {
    if (image.isClosed()) {
      publication.close();
      return 0;
    }
    if (isBroken || !publication.isConnected()) {
      return 0;
    }
    int work = writer.isBusy() && writer.resume() ? 1 : 0;
    int fragments = image.controlledPoll(assembler, AeronSession.FRAGMENTS_MAX);
    if (fragments > 0) {
      counter.verifier.onBatchEnd(System.nanoTime());
    }
    long messages = counter.verifier.messages();
    if (op == Op.PUSH && messages != acknowledged && writer.number(messages)) {
      acknowledged = messages;
      work++;
    }
    return work + fragments;
  }

  private Action onMessage(DirectBuffer buffer, int offset, int length, Header header) {
    if (writer.isBusy()) {
      return Action.ABORT;
    }
    ByteBuf view = views.of(buffer);
    int index = AeronViews.index(buffer, offset);
    if (op == Op.PULL) {
      boolean isAnswered =
          writer.message(
              MessageHeader.sequence(view, index),
              MessageHeader.lengthBytes(view, index),
              MessageHeader.isMeasured(view, index));
      return isAnswered ? Action.CONTINUE : Action.ABORT;
    }
    if (op == Op.ECHO && !writer.bytes(buffer, offset, length)) {
      return Action.ABORT;
    }
    isBroken = !stream.feed(view, index, index + length);
    return isBroken ? Action.BREAK : Action.CONTINUE;
  }
}
