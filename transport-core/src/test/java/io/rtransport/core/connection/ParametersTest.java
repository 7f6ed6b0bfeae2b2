package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rtransport.core.adp.AdpParameters;
import io.rtransport.core.adp.AdpProfile;
import io.rtransport.core.adp.DecMode;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.wire.TlvId;
import io.rtransport.core.wire.TlvReader;
import io.rtransport.core.wire.TlvWriter;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class ParametersTest {
  private static final InitialNumbers NUMBERS = new InitialNumbers(1, -2, 3, -4);

  @Test
  void shouldReadBackWhatItWrites() {
    ConnectionConfig config =
        ConnectionConfig.builder().dataWindowPackets(4_096).datagramLengthBytes(1_232).build();
    OfferedParameters offer = OfferedParameters.of(config, NUMBERS, 4_194_000_000L);

    assertThat(OfferedParameters.read(write(offer::write))).isEqualTo(offer);
  }

  @Test
  void shouldSayADelayOfAcknowledgementsThatItsTimerCanKeep() {
    long tickNs = 1_000_000;
    long[][] heldAndSaidOf = {
      // configured, held, said
      {1_000_000, 1_000_000, 2_000_000},
      {1, 1, 1_001_000}, // said in whole microseconds, never less
      {99_000_000, 99_000_000, 100_000_000},
      {99_000_001, 99_000_000, 100_000_000}, // what can be said is kept
      {100_000_000, 99_000_000, 100_000_000},
      {0, 0, 0}, // no timer
    };
    for (long[] row : heldAndSaidOf) {
      ConnectionConfig config = ConnectionConfig.builder().ackDelayNsMax(row[0]).build();
      OfferedParameters own = OfferedParameters.of(config, NUMBERS, 1, tickNs);
      OfferedParameters said = OfferedParameters.read(write(own::write));
      assertThat(said.ackDelayNsMax()).isEqualTo(row[2]);
      assertThat(AgreedParameters.of(own, said).ackDelayNsMax()).isEqualTo(row[1]);
      assertThat(AgreedParameters.of(said, own).peerAckDelayNsMax()).isBetween(row[1], row[2]);
      long exact = OfferedParameters.of(config, NUMBERS, 1).ackDelayNsMax();
      assertThat(exact).as("without a tick").isEqualTo(row[0]);
    }
  }

  @Test
  void shouldTakeDefaultsForWhatIsMissingButNotForTheFirstNumbers() {
    Consumer<TlvWriter> onlyNumbers =
        to ->
            to.putU32(TlvId.FIRST_REQUEST_PSN, 1)
                .putU32(TlvId.FIRST_DATA_PSN, 2)
                .putU32(TlvId.FIRST_RSN, 3)
                .putU32(TlvId.FIRST_SSN, 4);

    assertThat(OfferedParameters.read(write(onlyNumbers)).dataWindow()).isEqualTo(1_024);
    assertThat(OfferedParameters.read(write(to -> to.putU32(TlvId.FIRST_RSN, 3)))).isNull();
  }

  @Test
  void shouldSayATotalBetweenAHundredMillisecondsAndADay() {
    long day = 86_400_000_000_000L;
    ConnectionConfig config = ConnectionConfig.builder().build();
    long[][] saidOf = {
      {0, 100_000_000},
      {100_000_001, 100_000_001},
      {day, day},
      {day + 1, day},
      {Long.MAX_VALUE, day}
    };
    for (long[] pair : saidOf) {
      OfferedParameters offer = OfferedParameters.of(config, NUMBERS, pair[0]);
      assertThat(offer.adpTotalNs()).isEqualTo(pair[1]);
      assertThat(OfferedParameters.read(write(offer::write))).isNotNull();
      assertThat(AgreedParameters.of(offer, offer).idleTimeoutNs()).isPositive();
    }
  }

  @Test
  void shouldRefuseATotalMadeOfAnAckTimeoutThatIsOff() {
    AdpProfile profile =
        AdpProfile.builder().qpTotalTimeout(true).range(4, 3, 2, DecMode.DIV_2, 0).build();
    ConnectionConfig.Builder builder = ConnectionConfig.builder().adpProfile(profile);
    assertThat(builder.build().adpProfile()).isSameAs(profile);
    assertThatThrownBy(() -> builder.adpParameters(AdpParameters.DEFAULT.withAckTimeout(0)).build())
        .hasMessageContaining("qp_total_timeout")
        .hasMessageContaining("ack_timeout=0");
  }

  @Test
  void shouldRefuseEachParameterOutsideItsRange() {
    assertRange(TlvId.REQUEST_WINDOW, 64, 16_384, 63, 32_768);
    assertRange(TlvId.DATA_WINDOW, 64, 16_384, 96, 32_768);
    assertRange(TlvId.DATAGRAM_SIZE, 576, 8_192, 575, 8_193);
    // Never below what the same offer begins with.
    assertRange(TlvId.DATAGRAM_SIZE_MAX, 1_408, 65_507, 1_407, 65_508);
    assertRange(TlvId.INITIAL_CREDIT, 8_736, 2 << 20, 8_735, (2 << 20) + 1);
    assertRange(TlvId.OUTSTANDING_MAX, 16, 16_384, 15, 16_385);
    assertRange(TlvId.HEADER_LENGTH_MAX, 0, 512, -1, 513);
    assertRange(TlvId.MESSAGE_LENGTH_MAX, 1, 0xFFFF_FFFFL, 0, 0x1_0000_0000L);
    assertRange(TlvId.ACK_DELAY_MAX_MICROS, 0, 100_000, -1, 100_001);
    assertRange(TlvId.IDLE_TIMEOUT_MILLIS, 1_000, 86_400_000, 999, 86_400_001);
    assertRange(TlvId.ADP_TOTAL_MILLIS, 0, 86_400_000, -1, 86_400_001);
    assertRange(TlvId.ORDERED, 0, 1, -1, 2);
  }

  @Test
  void shouldDoWithoutOrderOnlyWhereBothSidesDo() {
    ConnectionConfig ordered = ConnectionConfig.builder().build();
    ConnectionConfig unordered = ConnectionConfig.builder().ordered(false).build();
    for (ConnectionConfig own : new ConnectionConfig[] {ordered, unordered}) {
      for (ConnectionConfig peer : new ConnectionConfig[] {ordered, unordered}) {
        OfferedParameters said =
            OfferedParameters.read(write(OfferedParameters.of(peer, NUMBERS, 1)::write));
        assertThat(said.isOrdered()).isEqualTo(peer.isOrdered());
        assertThat(AgreedParameters.of(OfferedParameters.of(own, NUMBERS, 1), said).isOrdered())
            .isEqualTo(own == ordered || peer == ordered);
      }
    }
    assertThat(read(TlvId.VERSIONS, 1).isOrdered()).as("where nothing is said").isTrue();
  }

  @Test
  void shouldAgreeOnTheLesserAndKeepTheIdleTimeoutAboveTwiceTheLargerTotal() {
    ConnectionConfig small =
        ConnectionConfig.builder()
            .dataWindowPackets(64)
            .datagramLengthBytes(576)
            .headerLengthMax(448)
            .outstandingMax(16)
            .solicitThresholdBytes(0)
            .idleTimeoutNs(1_000_000_000L)
            .build();
    OfferedParameters own =
        OfferedParameters.of(ConnectionConfig.builder().build(), NUMBERS, 4_000_000_000L);
    OfferedParameters peer =
        OfferedParameters.of(small, new InitialNumbers(9, 9, 9, 9), 67_000_000_000L);
    AgreedParameters agreed = AgreedParameters.of(own, peer);

    assertThat(agreed.txDataWindow()).isEqualTo(64);
    assertThat(agreed.rxDataWindow()).isEqualTo(16_384);
    assertThat(agreed.datagramLengthBytes()).isEqualTo(576);
    assertThat(agreed.headerLengthMax()).isEqualTo(448);
    assertThat(agreed.outstandingMax()).isEqualTo(16);
    assertThat(agreed.solicitThresholdBytes()).isZero();
    assertThat(agreed.idleTimeoutNs()).isEqualTo(134_000_000_000L);
    assertThat(agreed.livenessTotalNs()).isEqualTo(67_000_000_000L);
    assertThat(agreed.txNumbers()).isEqualTo(NUMBERS);
  }

  @Test
  void shouldGiveCreditFurtherAheadOnlyToAPeerThatTakesIt() {
    ConnectionConfig usual = ConnectionConfig.builder().build();
    ConnectionConfig least =
        ConnectionConfig.builder().inFlightBytesMax(Limits.IN_FLIGHT_BYTES_MIN).build();
    for (ConnectionConfig own : new ConnectionConfig[] {usual, least}) {
      for (ConnectionConfig peer : new ConnectionConfig[] {usual, least}) {
        OfferedParameters said =
            OfferedParameters.read(write(OfferedParameters.of(peer, NUMBERS, 1)::write));
        AgreedParameters agreed = AgreedParameters.of(OfferedParameters.of(own, NUMBERS, 1), said);
        assertThat(agreed.isLongCreditTaken()).isEqualTo(own == usual);
        assertThat(agreed.isLongCreditKnown()).isEqualTo(peer == usual);
        assertThat(agreed.isUnawaitedKnown()).isTrue();
      }
    }
    OfferedParameters former = read(TlvId.FEATURES, OfferedParameters.FEATURE_UNAWAITED);
    AgreedParameters agreed = AgreedParameters.of(former, former);
    assertThat(agreed.isUnawaitedKnown()).isTrue();
    assertThat(agreed.isLongCreditKnown()).isFalse();
    OfferedParameters silent = read(TlvId.VERSIONS, 1);
    assertThat(AgreedParameters.of(former, silent).isUnawaitedKnown()).isFalse();
  }

  @Test
  void shouldNameFieldValueAndRangeOfABadWish() {
    assertThatThrownBy(() -> ConnectionConfig.builder().dataWindowPackets(1_000).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("dataWindowPackets=1000 must be a power of two in 64..16384");
    assertThatThrownBy(() -> ConnectionConfig.builder().datagramLengthBytes(8_193).build())
        .hasMessage("datagramLengthBytes=8193 must be in 576..8192");
    assertThatThrownBy(() -> ConnectionConfig.builder().initialCreditBytes(8_735).build())
        .hasMessageContaining("8736");
    ConnectionConfig.builder().initialCreditBytes(8_736).build();
  }

  private static void assertRange(int id, long least, long most, long below, long above) {
    assertThat(read(id, least)).as("id %d value %d", id, least).isNotNull();
    assertThat(read(id, most)).as("id %d value %d", id, most).isNotNull();
    assertThat(read(id, below)).as("id %d value %d", id, below).isNull();
    assertThat(read(id, above)).as("id %d value %d", id, above).isNull();
  }

  private static OfferedParameters read(int id, long value) {
    return OfferedParameters.read(
        write(
            to -> {
              to.putU32(TlvId.FIRST_REQUEST_PSN, 1).putU32(TlvId.FIRST_DATA_PSN, 2);
              to.putU32(TlvId.FIRST_RSN, 3).putU32(TlvId.FIRST_SSN, 4);
              to.putU64(id, value);
            }));
  }

  private static TlvReader write(Consumer<TlvWriter> content) {
    ByteBuffer buffer = ByteBuffer.allocate(1_024);
    TlvWriter writer = new TlvWriter().wrap(buffer, 0, buffer.capacity());
    content.accept(writer);
    return new TlvReader().wrap(buffer, 0, writer.length());
  }
}
