package io.rtransport.core.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.adp.BuiltInProfiles;
import io.rtransport.core.parameter.Agreement;
import io.rtransport.core.parameter.ConnectionParameter;
import io.rtransport.core.parameter.InitialNumbers;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.wire.WindowClass;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Two window sublayers over a bad network: every record arrives exactly once, and nothing is left
 * behind.
 */
class WindowSublayerNetworkTest {
  private static final long SECOND = 1_000_000_000L;

  @Test
  void shouldDeliverEachRecordOnceWhateverTheNetworkDoes() {
    Counters totals = new Counters();
    for (long seed = 1; seed <= 400; seed++) {
      try {
        runSeed(seed, totals);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed=" + seed + ": " + e.getMessage(), e);
      }
    }
    for (CounterId id :
        new CounterId[] {
          CounterId.RETRANSMITS_EARLY,
          CounterId.RETRANSMITS_PROBE,
          CounterId.RETRANSMITS_TIMEOUT,
          CounterId.RETRANSMITS_SPURIOUS,
          CounterId.DUPLICATES_RECEIVED,
          CounterId.STORE_FULL,
          CounterId.ACK_STALE
        }) {
      assertThat(totals.value(id)).as(id + " in all seeds").isPositive();
    }
  }

  private static void runSeed(long seed, Counters totals) {
    SplittableRandom random = new SplittableRandom(seed);
    ToyNetwork net =
        new ToyNetwork(
            random.split(),
            random.nextInt(4) == 0 ? 0 : random.nextDouble(0.25),
            random.nextInt(3) == 0 ? 0 : random.nextDouble(0.1),
            random.nextInt(3) == 0 ? 0 : random.nextDouble(0.5),
            random.nextLong(1_000, 20_000_000),
            random.nextLong(1_000, 5_000_000));
    int[] windows = {64, 64, 128, 1_024, 16_384};
    int requestWindow = windows[random.nextInt(windows.length)];
    int dataWindow = windows[random.nextInt(windows.length)];
    int datagram = new int[] {576, 1_232, 1_408, 8_192}[random.nextInt(4)];
    int[] firsts = new int[4];
    for (int i = 0; i < 4; i++) {
      firsts[i] = random.nextBoolean() ? -random.nextInt(1, 400) : random.nextInt();
    }
    net.a = host(random, net, requestWindow, dataWindow, datagram, firsts, 0);
    net.b = host(random, net, requestWindow, dataWindow, datagram, firsts, 2);
    for (int round = 0; round < 4; round++) {
      submit(net.a, random, datagram);
      if (random.nextBoolean()) {
        submit(net.b, random, datagram);
      }
      net.a.pump(net.nowNs);
      net.b.pump(net.nowNs);
      net.run(net.nowNs + random.nextLong(50_000_000));
    }
    assertThat(net.run(net.nowNs + 600 * SECOND)).as("came to rest").isTrue();
    net.assertAllDelivered();
    for (CounterId id : CounterId.values()) {
      totals.add(id, net.a.count(id) + net.b.count(id));
    }
  }

  private static ToyHost host(
      SplittableRandom random,
      ToyNetwork net,
      int requestWindow,
      int dataWindow,
      int datagram,
      int[] firsts,
      int own) {
    int peer = 2 - own;
    WindowConfig config =
        new WindowConfig(
            11 + own,
            11 + peer,
            random.nextLong(),
            new Agreement()
                .datagramLengthBytes(datagram)
                .windows(requestWindow, dataWindow)
                .numbers(
                    new InitialNumbers(firsts[own], firsts[own + 1], 0, 0),
                    new InitialNumbers(firsts[peer], firsts[peer + 1], 0, 0))
                .ackDelayNsMax(ConnectionParameter.ACK_DELAY_MICROS.otherwise())
                .make());
    int blocks = random.nextInt(3) == 0 ? 1 : 64;
    int slots = random.nextInt(4) == 0 ? 32 : 32_768;
    int firstTransmission = random.nextBoolean() ? 0xFF_FFFF - random.nextInt(300) : 0;
    return new ToyHost(
        config, blocks, slots, BuiltInProfiles.WAN, firstTransmission, random.split(), net);
  }

  private static void submit(ToyHost host, SplittableRandom random, int datagram) {
    int lengthMax = random.nextBoolean() ? 100 : datagram - 60;
    host.records.submitRandom(WindowClass.REQUEST, random.nextInt(300), lengthMax, random);
    host.records.submitRandom(WindowClass.DATA, random.nextInt(1_500), lengthMax, random);
    host.records.credit(random.nextLong(1L << 40));
  }
}
