package io.rtransport.netty.contract;

import static io.rtransport.netty.contract.Journal.REMOVED;
import static io.rtransport.netty.contract.Journal.UNWRITABLE;
import static io.rtransport.netty.contract.Journal.WRITABLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.WriteBufferWaterMark;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Whether a channel can be written: what counts, and who is told when. */
@ExtendWith(ContractCount.class)
@Timeout(60)
class WritabilityContractTest {
  private static final WriteBufferWaterMark MARKS = new WriteBufferWaterMark(10_000, 20_000);

  /** What Netty counts for a message beside its bytes. */
  private static final int OVERHEAD = 96;

  @TempDir Path directory;

  private static Rig open(Transport transport) throws Exception {
    Rig rig = new Rig(transport);
    rig.clientOptions = b -> b.option(ChannelOption.WRITE_BUFFER_WATER_MARK, MARKS);
    return rig.open();
  }

  @Contract
  void shouldCountBytesAndMessagesAgainstTheWaterMarks(Transport transport) throws Exception {
    try (Rig rig = open(transport)) {
      assertThat(rig.client.isWritable()).isTrue();
      assertThat(rig.client.bytesBeforeUnwritable()).isEqualTo(20_001);
      assertThat(rig.client.bytesBeforeWritable()).isZero();
      Rig.runOnLoop(
          rig.client,
          () -> {
            rig.client.write(Rig.zeros(20_000 - 2 * OVERHEAD));
            assertThat(rig.client.bytesBeforeUnwritable()).isEqualTo(OVERHEAD + 1);
            rig.client.write(Unpooled.EMPTY_BUFFER); // exactly to the mark
            assertThat(rig.client.isWritable()).isTrue();
            assertThat(rig.client.bytesBeforeUnwritable()).isEqualTo(1);
            rig.client.write(Rig.zeros(1));
            assertThat(rig.client.isWritable()).isFalse();
            assertThat(rig.client.bytesBeforeUnwritable()).isZero();
            assertThat(rig.client.bytesBeforeWritable()).isEqualTo(10_002 + OVERHEAD);
          });
      rig.atClient.awaitEvent(UNWRITABLE); // over RT told after the write: a flush could be sooner
      rig.client.flush();
      rig.atChild.awaitSize(20_001 - 2 * OVERHEAD);
      await().until(() -> rig.client.bytesBeforeUnwritable() == 20_001);
      rig.atClient.awaitEvent(WRITABLE);
      assertThat(rig.atClient.count(UNWRITABLE)).isEqualTo(1);
      assertThat(rig.atClient.count(WRITABLE)).isEqualTo(1);
      assertThat(rig.atClient.eventsElsewhere()).isZero();
    }
  }

  @Contract
  void shouldTellOfACrossingOnceAndNotWithinTheWrite(Transport transport) throws Exception {
    try (Rig rig = open(transport)) {
      int within =
          Rig.onLoop(
              rig.client,
              () -> {
                rig.client.write(Rig.zeros(30_000));
                rig.client.write(Rig.zeros(30_000));
                return rig.atClient.count(UNWRITABLE);
              });
      Difference.WRITABILITY_EVENT.check(transport, within, 1, 0);
      rig.atClient.awaitEvent(UNWRITABLE);
      rig.client.flush();
      rig.atClient.awaitEvent(WRITABLE);
      rig.atChild.awaitSize(60_000);
      assertThat(rig.atClient.count(UNWRITABLE)).isEqualTo(1);
      assertThat(rig.atClient.count(WRITABLE)).isEqualTo(1);
    }
  }

  @Contract
  void shouldCountWritesOfOtherThreadsAtOnce(Transport transport) throws Exception {
    try (Rig rig = open(transport)) {
      rig.client.write(Rig.zeros(20_001));
      assertThat(rig.client.isWritable()).isFalse();
      rig.client.flush();
      await().until(rig.client::isWritable);
    }
  }

  @Contract
  void shouldBeWritableAgainWhenWhatWasCancelledIsFlushed(Transport transport) throws Exception {
    try (Rig rig = open(transport)) {
      Rig.runOnLoop(
          rig.client,
          () -> {
            ChannelFuture write = rig.client.write(Rig.zeros(30_000));
            assertThat(rig.client.isWritable()).isFalse();
            write.cancel(false);
            assertThat(rig.client.isWritable()).isFalse();
            rig.client.flush();
            assertThat(rig.client.isWritable()).isTrue();
          });
      rig.atClient.awaitEvent(WRITABLE);
    }
  }

  @Contract
  void shouldNotCountFiles(Transport transport) throws Exception {
    try (Rig rig = open(transport)) {
      Path file = Files.write(directory.resolve("file"), new byte[100_000]);
      Rig.runOnLoop(
          rig.client,
          () -> {
            rig.client.write(new DefaultFileRegion(file.toFile(), 0, 100_000));
            assertThat(rig.client.bytesBeforeUnwritable()).isEqualTo(20_001 - OVERHEAD);
          });
      rig.client.flush();
      rig.atChild.awaitSize(100_000);
    }
  }

  @Contract
  void shouldBeUnwritableWhenItIsClosed(Transport transport) throws Exception {
    try (Rig rig = open(transport)) {
      Rig.succeeded(rig.client.close());
      assertThat(rig.client.isWritable()).isFalse();
      assertThat(rig.client.bytesBeforeUnwritable()).isZero();
      assertThat(rig.client.bytesBeforeWritable()).isEqualTo(Long.MAX_VALUE);
      rig.atClient.awaitEvent(REMOVED);
      assertThat(rig.atClient.count(UNWRITABLE)).isZero();
    }
  }

  @Contract
  void shouldBeWritableUpToItsDefaultMarkAndToALowerHighOneSetAlone(Transport transport)
      throws Exception {
    try (Rig rig = new Rig(transport).open()) {
      for (Channel channel : List.of(rig.client, rig.child)) {
        WriteBufferWaterMark marks = channel.config().getWriteBufferWaterMark();
        assertThat(marks.low()).isEqualTo(32 << 10);
        Difference.WATER_MARKS.check(transport, marks.high(), 64 << 10, 512 << 10);
        assertThat(channel.bytesBeforeUnwritable()).isEqualTo(marks.high() + 1);
        channel.config().setWriteBufferHighWaterMark(marks.low());
        assertThat(channel.bytesBeforeUnwritable()).isEqualTo(marks.low() + 1);
      }
    }
  }

  @Contract
  void shouldFollowWaterMarksThatAreSetLater(Transport transport) throws Exception {
    try (Rig rig = open(transport)) {
      rig.client.config().setWriteBufferWaterMark(new WriteBufferWaterMark(50_000, 100_000));
      Rig.runOnLoop(
          rig.client,
          () -> {
            rig.client.write(Rig.zeros(30_000));
            assertThat(rig.client.isWritable()).isTrue();
            assertThat(rig.client.bytesBeforeUnwritable()).isEqualTo(100_001 - 30_000 - OVERHEAD);
          });
    }
  }

  @Contract
  void shouldLetTheUserSayThatItCanNotBeWritten(Transport transport) throws Exception {
    try (Rig rig = open(transport)) {
      Rig.runOnLoop(
          rig.client,
          () -> rig.client.unsafe().outboundBuffer().setUserDefinedWritability(1, false));
      assertThat(rig.client.isWritable()).isFalse();
      assertThat(rig.client.bytesBeforeUnwritable()).isZero();
      rig.atClient.awaitEvent(UNWRITABLE);
      Rig.succeeded(rig.client.writeAndFlush(Rig.text("goes all the same")));
      rig.atChild.awaitText("goes all the same");
      Rig.runOnLoop(
          rig.client,
          () -> rig.client.unsafe().outboundBuffer().setUserDefinedWritability(1, true));
      rig.atClient.awaitEvent(WRITABLE);
      assertThat(rig.client.isWritable()).isTrue();
      assertThat(rig.atClient.count(UNWRITABLE)).isEqualTo(1);
      assertThat(rig.atClient.count(WRITABLE)).isEqualTo(1);
    }
  }
}
