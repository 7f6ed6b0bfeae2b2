package io.rtransport.netty.port;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator.ExtendedHandle;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PortReadAllocatorTest {
  private static final int PACKET = 1_408;
  private static final int NOTHING = -1;

  private final ReceiveBuffers buffers = new ReceiveBuffers();
  private boolean doTimersWait;
  private final ExtendedHandle coalescing =
      handleOf(allocator(ReceiveBuffers.COALESCED_LENGTH, true, 1));

  private PortReadAllocator allocator(int capacity, boolean coalesces, int chainLength) {
    return new PortReadAllocator(buffers, capacity, coalesces, chainLength, () -> doTimersWait);
  }

  @SuppressWarnings("deprecation") // as Netty itself asks for it
  private static ExtendedHandle handleOf(PortReadAllocator allocator) {
    return (ExtendedHandle) allocator.newHandle();
  }

  @AfterEach
  void close() {
    buffers.close();
  }

  /**
   * Reads as epoll's channel does from a socket that holds {@code lengths}; answers how many reads
   * it took, empty ones included.
   */
  private int readsOf(ExtendedHandle handle, int... lengths) {
    return readsOf(handle, true, lengths);
  }

  private int readsOf(ExtendedHandle handle, boolean tellsOfNothing, int... lengths) {
    handle.reset(null);
    int reads = 0;
    boolean isEmpty;
    do {
      ByteBuf buffer = handle.allocate(UnpooledByteBufAllocator.DEFAULT);
      handle.attemptedBytesRead(buffer.writableBytes());
      isEmpty = reads == lengths.length;
      if (!isEmpty || tellsOfNothing) {
        handle.lastBytesRead(isEmpty ? NOTHING : lengths[reads]);
      }
      reads++;
      buffer.release();
    } while (!isEmpty && handle.continueReading());
    handle.readComplete();
    buffers.readComplete();
    return reads;
  }

  private static int[] packets(int count) {
    int[] lengths = new int[count];
    Arrays.fill(lengths, PACKET);
    return lengths;
  }

  @Test
  void shouldEmptyABusySocketThatHoldsOneShortRunBehindAnother() {
    assertThat(readsOf(coalescing, packets(20))).isEqualTo(21);
  }

  @Test
  void shouldEndABatchAfterSoManyReadsAndSoManyBytes() {
    assertThat(readsOf(coalescing, packets(100))).isEqualTo(PortReadAllocator.READS_MAX);
    assertThat(readsOf(coalescing, 40_000, 24_000, 40_000)).isEqualTo(3);
    assertThat(readsOf(coalescing, 40_000, PortReadAllocator.BATCH_BYTES_MAX - 40_000, 40_000))
        .isEqualTo(2);
  }

  @Test
  void shouldSeldomReadAgainFromASocketThatHoldsAPacketAtATime() {
    int reads = 0;
    for (int batch = 0; batch < 1_000; batch++) {
      reads += readsOf(coalescing, PACKET);
    }
    assertThat(reads - 1_000).as("empty reads").isBetween(15, 25);
  }

  @Test
  void shouldSeldomReadAgainWhereTheChannelSaysNothingOfAReadThatBroughtNothing() {
    int reads = 0;
    for (int batch = 0; batch < 1_000; batch++) {
      reads += readsOf(coalescing, false, PACKET);
    }
    assertThat(reads - 1_000).as("empty reads, as of NIO").isBetween(15, 25);
  }

  @Test
  void shouldReadAgainAsSoonAsThatPaidOnce() {
    for (int batch = 0; batch < 100; batch++) {
      readsOf(coalescing, PACKET);
    }
    int batches = 0;
    while (readsOf(coalescing, PACKET, PACKET) < 2) {
      batches++;
    }
    assertThat(batches).isLessThanOrEqualTo(PortReadAllocator.SHYNESS_MAX);
    assertThat(readsOf(coalescing, packets(10))).isEqualTo(11);
  }

  @Test
  void shouldReadOnAfterALargeReadWhateverCameOfTheLastTry() {
    readsOf(coalescing, PACKET);
    assertThat(readsOf(coalescing, ReceiveBuffers.COALESCED_LENGTH / 2, PACKET)).isEqualTo(3);
  }

  @Test
  void shouldReadOnceABatchWhereTheBatchIsAChainOfItsOwn() {
    ExtendedHandle chained = handleOf(allocator(ReceiveBuffers.COALESCED_LENGTH, false, 16));
    assertThat(readsOf(chained, packets(3))).isEqualTo(1);
  }

  @Test
  void shouldKnowWhetherABatchHasEmptiedTheSocket() {
    PortReadAllocator allocator = allocator(PACKET, false, 1);
    ExtendedHandle handle = handleOf(allocator);
    assertThat(allocator.isEmptied()).as("nothing has come").isTrue();
    readsOf(handle, packets(PortReadAllocator.READS_MAX));
    assertThat(allocator.isEmptied()).as("as many as a batch may have").isFalse();
    readsOf(handle, packets(3));
    assertThat(allocator.isEmptied()).as("a read that brought nothing").isTrue();
    readsOf(handle, false, packets(3));
    assertThat(allocator.isEmptied()).as("of which the channel says nothing").isTrue();
    readsOf(handle, PACKET); // a try that does not pay, and then batches of one read
    readsOf(handle, PACKET);
    assertThat(allocator.isEmptied()).as("nobody looked for more").isFalse();
  }

  @Test
  void shouldEmptyTheSocketOfOnePacketWhileTimersWaitForIt() {
    PortReadAllocator allocator = allocator(PACKET, false, 1);
    ExtendedHandle handle = handleOf(allocator);
    for (int batch = 0; batch < 100; batch++) {
      readsOf(handle, PACKET);
    }
    doTimersWait = true;
    for (int batch = 0; batch < 100; batch++) {
      assertThat(readsOf(handle, PACKET)).as("reads, the empty one included").isEqualTo(2);
      assertThat(allocator.isEmptied()).isTrue();
    }
    readsOf(handle, packets(PortReadAllocator.READS_MAX));
    assertThat(allocator.isEmptied()).as("as many as a batch may have").isFalse();
  }

  @Test
  void shouldKnowThatAChainWhichWasNotFilledHasEmptiedTheSocket() {
    PortReadAllocator allocator = allocator(16 * PACKET, false, 16);
    ExtendedHandle handle = handleOf(allocator);
    readChain(handle, 15);
    assertThat(allocator.isEmptied()).as("15 of 16").isTrue();
    readChain(handle, 16);
    assertThat(allocator.isEmptied()).as("16 of 16").isFalse();
    readChain(handle, 1);
    assertThat(allocator.isEmptied()).as("1 of 16").isTrue();
  }

  /** Reads as io_uring's channel does: one buffer for all, each datagram told of. */
  private void readChain(ExtendedHandle handle, int datagrams) {
    handle.reset(null);
    ByteBuf buffer = handle.allocate(UnpooledByteBufAllocator.DEFAULT);
    for (int i = 0; i < datagrams; i++) {
      handle.lastBytesRead(PACKET);
      handle.incMessagesRead(1);
    }
    buffer.release();
    assertThat(handle.continueReading()).as("another chain in the same batch").isFalse();
    handle.readComplete();
    buffers.readComplete();
  }
}
