package io.rtransport.netty.node;

import io.netty.buffer.ByteBuf;
import io.rtransport.netty.RtPayload;
import io.rtransport.netty.RtStreamSink;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * Bytes of one message on their way through a router: the {@link #sink} takes them from the hop
 * before, the {@link #payload} gives them to the next one. What came and has not left is bounded: a
 * byte counts as taken only when it has left, so grants of the next hop make grants on the hop
 * before. The two hops may be on different event loops; the object is its own lock.
 */
final class Relay {
  /** Limit of the bytes that a message may have in the router, beyond those that came unasked. */
  static final long HELD_BYTES_MAX = 256 << 10;

  private final Events events;
  private final Sink sink = new Sink();
  private final ArrayDeque<ByteBuf> held = new ArrayDeque<>();
  private long heldBytes;
  private long nextOffset;
  private Payload payload;
  private boolean isOver;
  private IOException failure;

  /** What a relay tells its message. On either event loop, without the lock. */
  interface Events {
    /** Tells the message's length, before its first byte. */
    void onBegin(long lengthBytes);

    /** Tells that the rest of the message will never come from the hop before. */
    void onAborted();

    /**
     * Tells that all bytes have left, or that nobody wants them any more. Once.
     *
     * @param isWhole whether all have left
     */
    void onPassed(boolean isWhole);

    /** Tells how many bytes the router holds more, or less. */
    void onHeld(long bytes);
  }

  Relay(Events events) {
    this.events = events;
  }

  /** Returns the message whose bytes these are. */
  Events events() {
    return events;
  }

  /** Returns the sink of the hop before. */
  Sink sink() {
    return sink;
  }

  /** Makes the payload for the next hop; once. */
  synchronized RtPayload payload(long lengthBytes) {
    payload = new Payload(lengthBytes);
    return payload;
  }

  /** Fails the message: the hop before is stopped at its next bytes, the next hop at once. */
  void fail(String why) {
    Payload told;
    long dropped;
    synchronized (this) {
      failure = new IOException(why);
      dropped = drop();
      told = payload;
    }
    sink.letMoreCome(dropped);
    if (told != null) {
      told.wake();
    }
  }

  private synchronized long drop() {
    long dropped = heldBytes;
    held.forEach(ByteBuf::release);
    held.clear();
    heldBytes = 0;
    events.onHeld(-dropped);
    return dropped;
  }

  /** Sink of the hop before. */
  final class Sink extends RtStreamSink {
    private Sink() {
      super(HELD_BYTES_MAX);
    }

    Relay relay() {
      return Relay.this;
    }

    private void letMoreCome(long bytes) {
      taken(bytes);
    }

    @Override
    protected void begin(long lengthBytes) {
      events.onBegin(lengthBytes);
    }

    @Override
    protected int fragment(ByteBuf fragment) throws IOException {
      int lengthBytes = fragment.readableBytes();
      Payload told;
      synchronized (Relay.this) {
        if (failure != null || isOver) {
          fragment.release();
          if (failure != null) {
            throw failure;
          }
          return lengthBytes;
        }
        held.add(fragment);
        heldBytes += lengthBytes;
        events.onHeld(lengthBytes);
        told = payload;
      }
      if (told != null) {
        told.wake();
      }
      return 0;
    }

    @Override
    protected void abort() {
      events.onAborted();
    }
  }

  /** Payload of the next hop. */
  private final class Payload extends RtPayload {
    private final long lengthBytes;

    private Payload(long lengthBytes) {
      this.lengthBytes = lengthBytes;
    }

    @Override
    public long lengthBytes() {
      return lengthBytes;
    }

    private void wake() {
      ready();
    }

    @Override
    protected int copy(long offset, ByteBuffer to, int index, int length) throws IOException {
      int copied = 0;
      synchronized (Relay.this) {
        if (failure != null) {
          throw failure;
        }
        if (offset != nextOffset) {
          throw new IOException("offset=" + offset + ", valid: " + nextOffset);
        }
        ByteBuffer view = to.duplicate();
        while (copied < length && !held.isEmpty()) {
          ByteBuf first = held.peek();
          int count = Math.min(length - copied, first.readableBytes());
          first.readBytes(view.limit(index + copied + count).position(index + copied));
          copied += count;
          if (!first.isReadable()) {
            held.poll().release();
          }
        }
        nextOffset += copied;
        heldBytes -= copied;
        events.onHeld(-copied);
      }
      sink.letMoreCome(copied);
      return copied;
    }

    @Override
    protected void deallocate() {
      boolean isWhole;
      synchronized (Relay.this) {
        isOver = true;
        isWhole = nextOffset == lengthBytes;
      }
      sink.letMoreCome(drop());
      events.onPassed(isWhole);
    }
  }
}
