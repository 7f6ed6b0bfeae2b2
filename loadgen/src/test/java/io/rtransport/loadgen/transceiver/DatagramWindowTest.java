package io.rtransport.loadgen.transceiver;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DatagramWindowTest {
  private final DatagramWindow window = new DatagramWindow(64);
  private final List<Long> whole = new ArrayList<>();
  private final List<Long> lost = new ArrayList<>();

  private void send(long message, int datagrams) {
    window.beginMessage(message, datagrams);
    for (int i = 0; i < datagrams; i++) {
      window.take(message);
    }
  }

  @Test
  void shouldCompleteAMessageWithItsLastDatagramInAnyOrder() {
    send(0, 3);
    window.onArrived(2, 1, whole::add);
    window.onArrived(0, 1, whole::add);
    window.onArrived(0, 1, whole::add);
    assertThat(whole).isEmpty();
    window.onArrived(1, 1, whole::add);
    assertThat(whole).containsExactly(0L);
  }

  @Test
  void shouldMoveItsEdgeWithTheHighestThatCameBack() {
    for (int m = 0; m < 64; m++) {
      send(m, 1);
    }
    assertThat(window.room()).isZero();
    window.onArrived(9, 1, whole::add);
    assertThat(window.room()).isEqualTo(10);
    assertThat(whole).containsExactly(9L);
  }

  @Test
  void shouldGiveUpOnlyWhatIsOld() {
    long message = 0;
    for (int round = 0; round < 1_000; round++) {
      send(message++, 1);
      window.onArrived(message - 1, 1, whole::add);
    }
    send(message, 1);
    window.giveUpBelow(10, lost::add);
    assertThat(lost).isEmpty();
    window.giveUpBelow(message + 1, lost::add);
    assertThat(lost).containsExactly(message);
    assertThat(window.isEmpty()).isTrue();
  }

  @Test
  void shouldIgnoreNumbersNeverSent() {
    send(0, 1);
    window.onArrived(5, 3, whole::add);
    assertThat(whole).isEmpty();
    assertThat(window.room()).isLessThanOrEqualTo(64);
  }

  @Test
  void shouldReadBackAcknowledgementsAndNoDamagedOnes() {
    DatagramAcks acks = new DatagramAcks(1_400);
    for (long number : new long[] {5, 6, 7, 9, 20, 21}) {
      acks.add(number);
    }
    int length = acks.lengthBytes();
    ByteBuf bytes = Unpooled.buffer();
    acks.writeTo(bytes);
    assertThat(bytes.readableBytes()).isEqualTo(length);
    List<String> runs = new ArrayList<>();
    assertThat(DatagramAcks.isAck(bytes, 0, length)).isTrue();
    DatagramAcks.read(bytes, 0, length, (first, count) -> runs.add(first + "+" + count));
    assertThat(runs).containsExactly("5+3", "9+1", "20+2");
    assertThat(acks.isEmpty()).isTrue();

    bytes.setByte(20, bytes.getByte(20) ^ 1);
    DatagramAcks.read(bytes, 0, length, (first, count) -> runs.add("damaged"));
    DatagramAcks.read(bytes, 0, length - 1, (first, count) -> runs.add("short"));
    assertThat(runs).hasSize(3);
  }

  @Test
  void shouldNeverMakeAnAcknowledgementLongerThanADatagram() {
    for (int mtuBytes : new int[] {576, 783, 784, 1_400, 65_507}) {
      DatagramAcks acks = new DatagramAcks(mtuBytes);
      for (long number = 0; !acks.isFull(); number += 2) {
        acks.add(number);
      }
      assertThat(acks.lengthBytes()).isBetween(576 - 12, mtuBytes);
    }
  }
}
