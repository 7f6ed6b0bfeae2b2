package io.rtransport.core.connection;

import static io.rtransport.core.parameter.DirectionParameters.FEATURE_LONG_CREDIT;
import static io.rtransport.core.parameter.DirectionParameters.FEATURE_UNAWAITED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rtransport.core.adp.AdpParameters;
import io.rtransport.core.adp.AdpProfile;
import io.rtransport.core.adp.DecMode;
import io.rtransport.core.parameter.AgreedParameters;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.parameter.ConnectionParameter;
import io.rtransport.core.parameter.InitialNumbers;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.wire.TlvId;
import io.rtransport.core.wire.TlvReader;
import io.rtransport.core.wire.TlvWriter;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class ParametersTest {
  private static final long SECOND = 1_000_000_000L;
  private static final InitialNumbers NUMBERS = new InitialNumbers(1, -2, 3, -4);

  @Test
  void shouldReadBackWhatItWrites() {
    ConnectionConfig config =
        ConnectionConfig.builder().dataWindowPackets(4_096).datagramLengthBytes(1_232).build();
    OfferedParameters offer = OfferedParameters.of(config, NUMBERS, 4_194_000_000L);

    assertThat(OfferedParameters.read(write(offer::write)))
        .usingRecursiveComparison()
        .isEqualTo(offer);
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
      assertThat(said.value(ConnectionParameter.ACK_DELAY_MICROS)).isEqualTo(row[2]);
      assertThat(own.agree(said).rx().ackDelayNsMax()).isEqualTo(row[1]);
      assertThat(said.agree(own).tx().ackDelayNsMax()).isBetween(row[1], row[2]);
      long exact =
          OfferedParameters.of(config, NUMBERS, 1).value(ConnectionParameter.ACK_DELAY_MICROS);
      assertThat(exact).as("without a tick").isEqualTo(row[0]);
    }
  }

  @Test
  void shouldTakeDefaultsForWhatIsMissingButNotForTheFirstNumbers() {
    assertThat(
            OfferedParameters.read(write(ParametersTest::sayNumbers))
                .value(ConnectionParameter.DATA_WINDOW))
        .isEqualTo(1_024);
    assertThat(
            OfferedParameters.read(write(to -> to.putU32(ConnectionParameter.FIRST_RSN.id(), 3))))
        .isNull();
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
      assertThat(offer.value(ConnectionParameter.ADP_TOTAL_MILLIS)).isEqualTo(pair[1]);
      assertThat(OfferedParameters.read(write(offer::write))).isNotNull();
      assertThat(offer.agree(offer).both().idleTimeoutNs()).isPositive();
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
    assertRange(ConnectionParameter.REQUEST_WINDOW, 64, 16_384, 63, 32_768);
    assertRange(ConnectionParameter.DATA_WINDOW, 64, 16_384, 96, 32_768);
    assertRange(ConnectionParameter.DATAGRAM_LENGTH, 576, 8_192, 575, 8_193);
    // Never below what the same offer begins with.
    assertRange(ConnectionParameter.DATAGRAM_LENGTH_MAX, 1_408, 65_507, 1_407, 65_508);
    assertRange(ConnectionParameter.INITIAL_CREDIT, 8_736, 2 << 20, 8_735, (2 << 20) + 1);
    assertRange(ConnectionParameter.OUTSTANDING_MAX, 16, 16_384, 15, 16_385);
    assertRange(ConnectionParameter.HEADER_LENGTH_MAX, 0, 512, -1, 513);
    assertRange(ConnectionParameter.MESSAGE_LENGTH_MAX, 1, 0xFFFF_FFFFL, 0, 0x1_0000_0000L);
    assertRange(ConnectionParameter.ACK_DELAY_MICROS, 0, 100_000, -1, 100_001);
    assertRange(ConnectionParameter.IDLE_TIMEOUT_MILLIS, 1_000, 86_400_000, 999, 86_400_001);
    assertRange(ConnectionParameter.ADP_TOTAL_MILLIS, 0, 86_400_000, -1, 86_400_001);
    assertRange(ConnectionParameter.ORDERED, 0, 1, -1, 2);
  }

  @Test
  void shouldDoWithoutOrderOnlyWhereBothSidesDo() {
    ConnectionConfig ordered = ConnectionConfig.builder().build();
    ConnectionConfig unordered = ConnectionConfig.builder().ordered(false).build();
    for (ConnectionConfig own : new ConnectionConfig[] {ordered, unordered}) {
      for (ConnectionConfig peer : new ConnectionConfig[] {ordered, unordered}) {
        OfferedParameters said =
            OfferedParameters.read(write(OfferedParameters.of(peer, NUMBERS, 1)::write));
        assertThat(said.value(ConnectionParameter.ORDERED) == 1).isEqualTo(peer.isOrdered());
        assertThat(OfferedParameters.of(own, NUMBERS, 1).agree(said).isOrdered())
            .isEqualTo(own == ordered || peer == ordered);
      }
    }
    assertThat(read(TlvId.VERSIONS, 1).value(ConnectionParameter.ORDERED))
        .as("where nothing is said")
        .isEqualTo(1);
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
    AgreedParameters agreed = own.agree(peer);

    assertThat(agreed.tx().dataWindow()).isEqualTo(64);
    assertThat(agreed.rx().dataWindow()).isEqualTo(16_384);
    assertThat(agreed.both().datagramLengthBytes()).isEqualTo(576);
    assertThat(agreed.both().headerLengthMax()).isEqualTo(448);
    assertThat(agreed.both().outstandingMax()).isEqualTo(16);
    assertThat(agreed.both().solicitThresholdBytes()).isZero();
    assertThat(agreed.both().idleTimeoutNs()).isEqualTo(134_000_000_000L);
    assertThat(agreed.both().livenessTotalNs()).isEqualTo(67_000_000_000L);
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
        AgreedParameters agreed = OfferedParameters.of(own, NUMBERS, 1).agree(said);
        assertThat(agreed.rx().has(FEATURE_LONG_CREDIT)).isEqualTo(own == usual);
        assertThat(agreed.tx().has(FEATURE_LONG_CREDIT)).isEqualTo(peer == usual);
        assertThat(agreed.tx().has(FEATURE_UNAWAITED)).isTrue();
      }
    }
    OfferedParameters former = read(ConnectionParameter.FEATURES.id(), FEATURE_UNAWAITED);
    AgreedParameters agreed = former.agree(former);
    assertThat(agreed.tx().has(FEATURE_UNAWAITED)).isTrue();
    assertThat(agreed.tx().has(FEATURE_LONG_CREDIT)).isFalse();
    OfferedParameters silent = read(TlvId.VERSIONS, 1);
    assertThat(former.agree(silent).tx().has(FEATURE_UNAWAITED)).isFalse();
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

  @Test
  void shouldTakeBothLimitsOfEachWishAndNameFieldValueAndRangeOfWhatIsBeyond() {
    // field, least, most; numbers as the documentation has them, not the code's constants
    Object[][] wishes = {
      {ConnectionParameter.REQUEST_WINDOW, "requestWindowPackets", 64L, 16_384L},
      {ConnectionParameter.DATA_WINDOW, "dataWindowPackets", 64L, 16_384L},
      {ConnectionParameter.ORDERED, "ordered", 0L, 1L},
      {ConnectionParameter.DATAGRAM_LENGTH, "datagramLengthBytes", 576L, 8_192L},
      {ConnectionParameter.DATAGRAM_LENGTH_MAX, "datagramLengthBytesMax", 576L, 65_507L},
      {ConnectionParameter.PATH_MTU_DISCOVERY, "pathMtuDiscovered", 0L, 1L},
      {ConnectionParameter.INITIAL_CREDIT, "initialCreditBytes", 1L << 10, 2L << 20},
      {ConnectionParameter.OUTSTANDING_MAX, "outstandingMax", 16L, 16_384L},
      {ConnectionParameter.SOLICIT_THRESHOLD, "solicitThresholdBytes", 0L, 1L << 20},
      {ConnectionParameter.CONGESTED_SOLICIT_THRESHOLD, "congestedThresholdBytes", 256L, 1L << 20},
      {ConnectionParameter.HEADER_LENGTH_MAX, "headerLengthMax", 0L, 512L},
      {ConnectionParameter.MESSAGE_LENGTH_MAX, "messageLengthMax", 1L, 0xFFFF_FFFFL},
      {ConnectionParameter.ACK_DELAY_MICROS, "ackDelayNsMax", 0L, 100_000_000L},
      {ConnectionParameter.FLUSH_WINDOW_MICROS, "flushWindowNs", 0L, 10_000_000L},
      {ConnectionParameter.IDLE_TIMEOUT_MILLIS, "idleTimeoutNs", SECOND, 86_400 * SECOND},
      {ConnectionParameter.KEEPALIVE, "keepalive", 0L, 1L},
      {ConnectionParameter.CONNECT_TIMEOUT_MILLIS, "connectTimeoutNs", SECOND / 10, 300 * SECOND},
      {ConnectionParameter.CLOSE_TIMEOUT_MILLIS, "closeTimeoutNs", 0L, 300 * SECOND},
      {ConnectionParameter.IN_FLIGHT_MAX, "inFlightBytesMax", 2L << 20, 64L << 20},
    };
    Set<ConnectionParameter> seen = new HashSet<>();
    for (Object[] row : wishes) {
      ConnectionParameter parameter = (ConnectionParameter) row[0];
      long least = (long) row[2];
      long most = (long) row[3];
      seen.add(parameter);
      for (long valid : new long[] {least, most}) {
        assertThat(wish(parameter, valid).build().value(parameter)).isEqualTo(valid);
      }
      for (long wrong : new long[] {least - 1, most + 1}) {
        assertThatThrownBy(() -> wish(parameter, wrong).build())
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageStartingWith(row[1] + "=" + wrong + " must be ")
            .hasMessageEndingWith(" in " + least + ".." + most);
      }
    }
    assertThat(seen).containsExactlyInAnyOrderElementsOf(ConnectionParameter.configured());
  }

  /** A builder in which the others leave room for {@code value}. */
  private static ConnectionConfig.Builder wish(ConnectionParameter parameter, long value) {
    ConnectionConfig.Builder builder =
        ConnectionConfig.builder().headerLengthMax(256).solicitThresholdBytes(0);
    if (parameter == ConnectionParameter.SOLICIT_THRESHOLD) {
      builder.initialCreditBytes(2 << 20);
    } else if (parameter == ConnectionParameter.DATAGRAM_LENGTH_MAX) {
      builder.datagramLengthBytes(576);
    }
    return builder.set(parameter, value);
  }

  @Test
  void shouldCheckWishesAgainstEachOther() {
    assertThatThrownBy(() -> ConnectionConfig.builder().datagramLengthBytesMax(1_407).build())
        .hasMessage("datagramLengthBytesMax=1407 must be in 1408..65507");
    ConnectionConfig.builder().datagramLengthBytesMax(1_408).build();
    ConnectionConfig.Builder small = ConnectionConfig.builder().datagramLengthBytes(576);
    assertThatThrownBy(() -> small.headerLengthMax(449).build())
        .hasMessage("headerLengthMax=449 must be in 0..448");
    small.headerLengthMax(448).build();
  }

  @Test
  void shouldResolveWhatIsLeftUnset() {
    ConnectionConfig config = ConnectionConfig.builder().build();
    assertThat(config.isDataWindowSet()).isFalse();
    assertThat(config.dataWindowPackets()).isEqualTo(16_384);
    assertThat(config.isDatagramLengthMaxSet()).isFalse();
    assertThat(config.datagramLengthBytesMax()).isEqualTo(1_408);
    ConnectionConfig searching = config.toBuilder().pathMtuDiscovered(true).build();
    assertThat(searching.datagramLengthBytesMax()).isEqualTo(65_507);
    ConnectionConfig set = config.toBuilder().dataWindowPackets(16_384).build();
    assertThat(set.isDataWindowSet()).isTrue();
    assertThat(set).isNotEqualTo(config).isEqualTo(set.toBuilder().build());
  }

  @Test
  void shouldKeepWhatConnectionsAgreedAlikeOnce() {
    ConnectionConfig config = ConnectionConfig.builder().build();
    OfferedParameters own = OfferedParameters.of(config, NUMBERS, SECOND);
    OfferedParameters peer =
        OfferedParameters.of(config, new InitialNumbers(5, 6, 7, 8), 2 * SECOND);
    AgreedParameters first = own.agree(own);
    AgreedParameters second = own.agree(peer).sharing(first);

    assertThat(second).isEqualTo(own.agree(peer));
    assertThat(second.rx()).isSameAs(first.rx());
    assertThat(second.tx()).isSameAs(first.tx());
    assertThat(second.both()).as("another total").isNotSameAs(first.both());
  }

  private static void assertRange(
      ConnectionParameter parameter, long least, long most, long below, long above) {
    int id = parameter.id();
    assertThat(read(id, least)).as("%s %d", parameter, least).isNotNull();
    assertThat(read(id, most)).as("%s %d", parameter, most).isNotNull();
    assertThat(read(id, below)).as("%s %d", parameter, below).isNull();
    assertThat(read(id, above)).as("%s %d", parameter, above).isNull();
  }

  private static OfferedParameters read(int id, long value) {
    return OfferedParameters.read(
        write(
            to -> {
              sayNumbers(to);
              to.putU64(id, value);
            }));
  }

  private static void sayNumbers(TlvWriter to) {
    to.putU32(ConnectionParameter.FIRST_REQUEST_PSN.id(), 1)
        .putU32(ConnectionParameter.FIRST_DATA_PSN.id(), 2)
        .putU32(ConnectionParameter.FIRST_RSN.id(), 3)
        .putU32(ConnectionParameter.FIRST_SSN.id(), 4);
  }

  private static TlvReader write(Consumer<TlvWriter> content) {
    ByteBuffer buffer = ByteBuffer.allocate(1_024);
    TlvWriter writer = new TlvWriter().wrap(buffer, 0, buffer.capacity());
    content.accept(writer);
    return new TlvReader().wrap(buffer, 0, writer.length());
  }
}
