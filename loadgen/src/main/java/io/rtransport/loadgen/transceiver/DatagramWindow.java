package io.rtransport.loadgen.transceiver;

import java.util.Arrays;

/**
 * Window of the raw UDP transport: the datagrams in flight, the message of each, and when a message
 * is complete. The window's edge follows the highest number that came back. Datagrams lost below it
 * leave the window without completing. Not thread-safe.
 */
final class DatagramWindow {
  private static final long NONE = -1;

  private final int windowDatagrams;
  private final long[] messageOf;
  private final int[] missingOf;
  private final int mask;
  private long nextDatagram;
  private long edge;

  /** Listener to complete and lost messages. */
  interface Consumer {
    void onMessage(long message);
  }

  DatagramWindow(int windowDatagrams) {
    this.windowDatagrams = windowDatagrams;
    // Eight windows: a datagram that arrives later than that counts as lost.
    int capacity = Integer.highestOneBit(Math.max(windowDatagrams, 8) * 16 - 1);
    messageOf = new long[capacity];
    missingOf = new int[capacity];
    Arrays.fill(messageOf, NONE);
    mask = capacity - 1;
  }

  int room() {
    return (int) Math.max(0, windowDatagrams - (nextDatagram - edge));
  }

  boolean isEmpty() {
    return nextDatagram == edge;
  }

  /** Begins a message of {@code datagrams} datagrams. */
  void beginMessage(long message, int datagrams) {
    missingOf[(int) message & mask] = datagrams;
  }

  /** Returns the number of the next datagram, which belongs to {@code message}. */
  long take(long message) {
    messageOf[(int) nextDatagram & mask] = message;
    return nextDatagram++;
  }

  long nextDatagram() {
    return nextDatagram;
  }

  /**
   * Records datagrams that came back or were acknowledged. Numbers never sent or too old are
   * ignored.
   */
  void onArrived(long first, int count, Consumer whole) {
    long from = Math.max(first, edgeMin());
    long to = Math.min(first + count, nextDatagram);
    for (long number = from; number < to; number++) {
      int slot = (int) number & mask;
      long message = messageOf[slot];
      if (message != NONE) {
        messageOf[slot] = NONE;
        if (--missingOf[(int) message & mask] == 0) {
          whole.onMessage(message);
        }
      }
    }
    edge = Math.max(edge, to);
  }

  private long edgeMin() {
    return nextDatagram - mask - 1;
  }

  /** Gives up every datagram below {@code end}: their messages are lost. */
  void giveUpBelow(long end, Consumer lost) {
    // A slot older than one turn of the ring already belongs to a newer datagram.
    for (long number = Math.max(edgeMin(), 0); number < end; number++) {
      int slot = (int) number & mask;
      long message = messageOf[slot];
      if (message != NONE) {
        messageOf[slot] = NONE;
        lost.onMessage(message);
      }
    }
    edge = Math.max(edge, end);
  }
}
