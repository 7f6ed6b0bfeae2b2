package io.rtransport.core.window;

import io.rtransport.core.fuzz.FuzzInput;
import java.util.BitSet;

/**
 * Both ends of an acknowledgement against sets of packet numbers: packets are sent and received in
 * any order; what the receiver says by base and words, or what the input makes up, is applied at
 * the sender. {@link RxWindow}, {@link TxWindow} and {@link SequenceNumberBitmap} must say of every
 * packet what the sets say. Numbers are counted from the first one, anywhere on the ring.
 */
public final class AcknowledgementFuzz {
  private static final int STEPS_MAX = 300;

  private final int first;
  private final int capacity;
  private final TxWindow sender;
  private final RxWindow receiver;
  private final BitSet received = new BitSet();
  private final BitSet acknowledged = new BitSet();
  private int sent;

  private AcknowledgementFuzz(FuzzInput input) {
    capacity = 64 << input.below(4);
    int peerWindow = 64 << input.below(4);
    first = input.flag() ? input.i32() : -input.u16();
    sender = new TxWindow(first, capacity, peerWindow);
    receiver = new RxWindow(first, Math.max(capacity, peerWindow));
  }

  /** A window's life. */
  public static void fuzzerTestOneInput(byte[] data) {
    FuzzInput input = new FuzzInput(data);
    AcknowledgementFuzz fuzz = new AcknowledgementFuzz(input);
    for (int i = 0; i < STEPS_MAX && input.hasMore(); i++) {
      fuzz.step(input);
      fuzz.check();
    }
  }

  private void step(FuzzInput input) {
    switch (input.below(5)) {
      case 0 -> {
        for (int count = 1 + input.below(64); count > 0 && sender.hasRoom(); count--) {
          require(sender.take() == first + sent++, "number");
        }
      }
      case 1 -> receive(bsn() + input.u16() % (2 * capacity) - capacity / 2);
      case 2 -> {
        int from = bsn();
        for (int count = input.u8(); count > 0; count--) {
          receive(from++);
        }
      }
      case 3 -> tell(input.flag());
      default -> invent(input);
    }
  }

  /** A packet arrives that may have been sent, or not, or long ago. */
  private void receive(int number) {
    if (number < 0 || number >= sent) {
      return; // an honest receiver gets what was sent
    }
    RxWindow.Verdict verdict = receiver.onPacket(first + number);
    boolean isInWindow = number < received.nextClearBit(0) + receiver.capacity();
    RxWindow.Verdict expected =
        received.get(number)
            ? RxWindow.Verdict.DUPLICATE
            : isInWindow ? RxWindow.Verdict.NEW : RxWindow.Verdict.OUT_OF_WINDOW;
    require(verdict == expected, "verdict of " + number);
    if (isInWindow) {
      received.set(number);
    }
  }

  /** The receiver says what it has: all of its words, or those from the first that changed. */
  private void tell(boolean isWhole) {
    int base = receiver.base();
    require(base == first + received.nextClearBit(0), "base");
    int from = isWhole ? 0 : receiver.firstWordOffset();
    apply(base, 0, new long[0]);
    for (int offset = from; offset < receiver.wordCount(); offset++) {
      long word = receiver.takeWord(offset);
      int number = (base & ~63) + 64 * offset - first;
      for (int bit = 0; bit < 64; bit++) {
        boolean isThere = number + bit < 0 || received.get(number + bit);
        require((word >>> bit & 1) != 0 == isThere, "bit of " + (number + bit));
      }
      apply(base, offset, new long[] {word});
    }
    require(!receiver.hasChanges() || from > 0 || receiver.wordCount() == 0, "all was said");
  }

  /**
   * A peer that lies: any base, any words. What names a packet never sent must be recognised as
   * that.
   */
  private void invent(FuzzInput input) {
    int base = first + bsn() + input.u16() % (2 * capacity) - capacity / 2;
    int offset = input.below(capacity / 64 + 2);
    long[] words = new long[input.below(3)];
    for (int i = 0; i < words.length; i++) {
      words[i] = input.i64();
    }
    apply(base, offset, words);
  }

  /** As {@link AcknowledgementReader} does. */
  private void apply(int base, int offset, long[] words) {
    int firstWord = (base & ~63) + 64 * offset;
    boolean isBeyond = base - first > sent;
    for (int k = 0; k < words.length; k++) {
      boolean isWordBeyond = false;
      for (int bit = 0; bit < 64; bit++) {
        isWordBeyond |= (words[k] >>> bit & 1) != 0 && firstWord + 64 * k + bit - first >= sent;
      }
      require(sender.isBeyondSent(firstWord + 64 * k, words[k]) == isWordBeyond, "beyond sent");
      isBeyond |= isWordBeyond;
    }
    require(sender.isBeyondSent(base) == base - first > sent, "base beyond sent");
    boolean isStale = base - first < bsn();
    require(sender.isStaleBase(base) == isStale, "stale");
    if (isBeyond || isStale) {
      return;
    }
    for (int psn = sender.bsn() & ~63; psn - base < 0; psn += 64) {
      take(psn, sender.acknowledgeBelow(psn, base), -1L);
    }
    require(acknowledged.nextClearBit(0) >= base - first, "below the base");
    for (int k = 0; k < words.length; k++) {
      take(firstWord + 64 * k, sender.acknowledge(firstWord + 64 * k, words[k]), words[k]);
    }
    sender.advance();
  }

  /** Each packet is retired once, and only if it was named. */
  private void take(int wordPsn, long fresh, long named) {
    require((fresh & ~named) == 0, "retired what was not named");
    for (int bit = 0; bit < 64; bit++) {
      int number = wordPsn + bit - first;
      if ((fresh >>> bit & 1) != 0) {
        require(number >= 0 && number < sent && !acknowledged.get(number), "retired " + number);
        acknowledged.set(number);
      } else if ((named >>> bit & 1) != 0 && named != -1L) {
        require(number < 0 || acknowledged.get(number), "not retired: " + number);
      }
    }
  }

  private int bsn() {
    return acknowledged.nextClearBit(0);
  }

  private void check() {
    require(sender.bsn() == first + bsn(), "BSN");
    require(sender.nsn() == first + sent, "NSN");
    require(sender.unacknowledgedCount() == sent - acknowledged.cardinality(), "count");
    require(sender.isAllAcknowledged() == (bsn() == sent), "all");
    require(sent - bsn() <= capacity, "window");
    for (int number = Math.max(0, bsn() - 2); number < sent + 2; number++) {
      require(sender.isAcknowledged(first + number) == acknowledged.get(number), "is " + number);
    }
    require(receiver.hasGap() == (received.length() > received.nextClearBit(0)), "gap");
  }

  private void require(boolean isRight, String what) {
    if (!isRight) {
      throw new AssertionError(
          what + ": first=" + first + " capacity=" + capacity + " sent=" + sent + " bsn=" + bsn());
    }
  }
}
