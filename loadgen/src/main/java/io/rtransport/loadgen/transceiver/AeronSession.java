package io.rtransport.loadgen.transceiver;

import io.aeron.ExclusivePublication;
import io.aeron.FragmentAssembler;
import io.aeron.Subscription;
import io.aeron.logbuffer.Header;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.Promise;
import io.rtransport.loadgen.transceiver.TransceiverSettings.Op;
import io.rtransport.loadgen.workload.MessageContents;
import io.rtransport.loadgen.workload.Session;
import org.agrona.DirectBuffer;

/**
 * One Aeron connection of the client: a publication for its messages, and a subscription for the
 * server's. Pushes are acknowledged by 8-byte cumulative counts, echoes and answers by their
 * messages. Confined to its event loop.
 */
final class AeronSession implements PollDuty, Session {
  /**
   * As many as arrive in a normal turn. The position on which the sender's window depends is
   * written once for each poll.
   */
  static final int FRAGMENTS_MAX = 256;

  private final Op op;
  private final WorkCounter counter;
  private final Listener listener;
  private final Promise<Session> connected;
  private final ExclusivePublication publication;
  private final Subscription subscription;
  private final AeronWriter writer;
  private final AeronViews views = new AeronViews();
  private final FragmentAssembler assembler = new FragmentAssembler(this::onMessage);
  private final MessageStream stream;
  private final CumulativeAckReader acks;
  private boolean refused;

  /**
   * Whether a task of the loop has sent since the last poll. That counts as work, after which an
   * idle loop begins its back-off again.
   */
  private boolean hasOffered;

  private boolean isBroken;

  AeronSession(
      Op op,
      MessageContents contents,
      WorkCounter counter,
      Listener listener,
      Promise<Session> connected,
      ExclusivePublication publication,
      Subscription subscription) {
    this.op = op;
    this.counter = counter;
    this.listener = listener;
    this.connected = connected;
    this.publication = publication;
    this.subscription = subscription;
    this.writer = new AeronWriter(publication, contents);
    this.stream =
        new MessageStream(
            counter.verifier,
            Integer.MAX_VALUE,
            () -> listener.onCompleted(counter.verifier.sequence()));
    this.acks = new CumulativeAckReader(listener);
  }

  @Override
  public boolean offer(long sequence, int lengthBytes, boolean measured) {
    boolean taken =
        !writer.isBusy()
            && (op == Op.PULL
                ? writer.request(sequence, lengthBytes, measured)
                : writer.message(sequence, lengthBytes, measured));
    refused |= !taken;
    hasOffered |= taken;
    return taken;
  }

  @Override
  public void flush() {
    // Data in the log already belongs to the driver.
  }

  @Override
  public int poll() {
    if (!connected.isDone()) {
      return connect();
    }
    if (isBroken) {
      return 0;
    }
    int received = subscription.poll(assembler, FRAGMENTS_MAX);
    if (received > 0) {
      counter.verifier.onBatchEnd(System.nanoTime());
      listener.onBatchEnd();
    } else if (subscription.hasNoImages() || publication.isClosed()) {
      isBroken = true;
      listener.onClosed("the peer has gone");
      return 0;
    }
    int work = received + (hasOffered ? 1 : 0);
    hasOffered = false;
    if (writer.isBusy()) {
      work += writer.resume() ? 1 : 0;
    }
    if (refused && !writer.isBusy() && publication.availableWindow() > 0) {
      refused = false;
      work++;
      listener.onRoom();
    }
    return work;
  }

  /**
   * Completes the set-up when both directions are connected. A publication without a subscriber
   * refuses offers.
   */
  private int connect() {
    if (publication.isConnected() && subscription.isConnected()) {
      connected.trySuccess(this);
      return 1;
    }
    return 0;
  }

  private void onMessage(DirectBuffer buffer, int offset, int length, Header header) {
    ByteBuf view = views.of(buffer);
    int index = AeronViews.index(buffer, offset);
    if (op == Op.PUSH) {
      acks.feed(view.setIndex(index, index + length));
    } else if (!stream.feed(view, index, index + length) && !isBroken) {
      isBroken = true;
      listener.onClosed("a message with a length that was never sent");
    }
  }
}
