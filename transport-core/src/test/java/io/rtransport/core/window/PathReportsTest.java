package io.rtransport.core.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.wire.AckFlyweight;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class PathReportsTest {
  private final PathReports reports = new PathReports();
  private final AckFlyweight ack = new AckFlyweight();

  private AckFlyweight write(long recentNs, long nowNs) {
    ack.wrap(ByteBuffer.allocate(AckFlyweight.BODY_LENGTH_MAX), 0)
        .requestWordCount(0)
        .dataWordCount(0)
        .pathCount(reports.reportCount(recentNs, nowNs));
    reports.write(ack, recentNs, nowNs);
    return ack;
  }

  @Test
  void shouldReportTheHighestSequenceAcrossTheWrapAndHowLongItWasHeld() {
    reports.onPacket(3, 0xFF_FFFF, false, 1_000_000);
    reports.onPacket(3, 2, false, 2_000_000);
    reports.onPacket(3, 0xFF_FFFE, false, 3_000_000);
    write(0, 7_000_000);
    assertThat(ack.pathCount()).isEqualTo(1);
    assertThat(ack.pathId(0)).isEqualTo(3);
    assertThat(ack.pathHighestSequence(0)).isEqualTo(2);
    assertThat(ack.pathHeldMicros(0)).isEqualTo(5_000);
    assertThat(ack.pathDuplicates(0)).isZero();
  }

  @Test
  void shouldReportNewsOnceAndPathsHeardFromLately() {
    reports.onPacket(1, 0, false, 0);
    write(10, 100);
    assertThat(reports.reportCount(99, 100)).isZero();
    assertThat(reports.reportCount(100, 100)).isEqualTo(1);
    reports.onPacket(1, 0, true, 100);
    assertThat(reports.reportCount(0, 200)).isEqualTo(1);
    assertThat(write(0, 200).pathDuplicates(0)).isEqualTo(1);
  }

  @Test
  void shouldOweASampleNoMoreOftenThanTheInterval() {
    assertThat(reports.isSampleOwed(100, 0)).isFalse();
    reports.onPacket(1, 0, false, 0);
    assertThat(reports.isSampleOwed(100, 0)).isTrue();
    write(0, 50);
    reports.onPacket(1, 1, false, 60);
    assertThat(reports.isSampleOwed(100, 149)).isFalse();
    assertThat(reports.isSampleOwed(100, 150)).isTrue();
  }

  @Test
  void shouldPutANinthPathInThePlaceOfTheOneHeardFromLeastRecently() {
    for (int id = 0; id < 8; id++) {
      reports.onPacket(id, id, true, id == 2 ? 0 : 10 + id);
    }
    reports.onPacket(200, 77, false, 100);
    write(1_000, 100);
    assertThat(ack.pathCount()).isEqualTo(8);
    assertThat(ack.pathId(2)).isEqualTo(200);
    assertThat(ack.pathHighestSequence(2)).isEqualTo(77);
    assertThat(ack.pathDuplicates(2)).isZero();
    assertThat(ack.pathDuplicates(7)).isEqualTo(1);
  }
}
