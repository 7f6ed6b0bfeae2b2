package io.rtransport.core.connection;

import static io.rtransport.core.connection.FuzzApplication.require;

import io.rtransport.core.connection.FuzzWorld.Flying;
import io.rtransport.core.connection.FuzzWorld.Host;
import io.rtransport.core.fuzz.FuzzInput;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.stats.CounterId;
import java.util.concurrent.TimeUnit;

/**
 * Two honest ends, whose applications call anything in any order, legal or not, over a network that
 * loses, repeats and reorders as the input says: neither takes the other for a liar, each promise
 * of the interfaces holds, and everything is over and given back at the end.
 */
public final class ApiOrderFuzz {
  private static final int STEPS_MAX = 150;

  /**
   * Rounds of settling without a byte after which nothing more is expected: 30 s. A packet that the
   * input held back for seconds is a round trip of seconds, and no resend comes before it (ADP rule
   * 7 in docs/reference/adp.md). A path without progress is given up after 4.2 s, so that the
   * measured round trip plus four times its variation stays below 21 s.
   */
  private static final int QUIET_ROUNDS_MAX = 300;

  private ApiOrderFuzz() {}

  /** Ordered or not, then steps. */
  public static void fuzzerTestOneInput(byte[] data) {
    FuzzInput input = new FuzzInput(data);
    FuzzWorld world = new FuzzWorld(input.flag());
    world.connect();
    for (int i = 0; i < STEPS_MAX && input.hasMore(); i++) {
      Host host = input.flag() ? world.ours : world.theirs;
      switch (input.below(8)) {
        case 0, 1, 2, 3 -> {
          host.application.act(input, world.nowNs);
          host.application.flush(world.nowNs);
        }
        case 4, 5 -> carry(world, host, input);
        case 6 -> world.pass((long) input.u8() * 20_000);
        default -> world.pass((long) input.u8() * input.u8() * 1_000_000);
      }
    }
    settle(world);
    for (Host host : new Host[] {world.ours, world.theirs}) {
      CloseReason reason = host.application.reason;
      require(
          reason == null
              || reason.code() != CloseCode.PROTOCOL_ERROR.code()
              || FuzzApplication.isByApplication(reason),
          "an honest peer was taken for a liar: " + reason);
      world.end(host);
    }
  }

  /** Some of what the host has sent arrives, is lost, comes twice, or waits for others. */
  private static void carry(FuzzWorld world, Host host, FuzzInput input) {
    for (int count = 1 + input.below(12); count > 0 && !host.sent.isEmpty(); count--) {
      Flying flying = host.sent.poll();
      switch (input.below(8)) {
        case 0 -> {
          // lost
        }
        case 1 -> {
          world.deliver(flying);
          world.deliver(flying);
        }
        case 2 -> host.sent.add(flying);
        default -> world.deliver(flying);
      }
    }
  }

  /**
   * The network is healed and both applications do all that they owe. Then nothing is outstanding
   * for long: messages go on as the congestion window allows, and all end.
   */
  private static void settle(FuzzWorld world) {
    long bytes = 0;
    int roundsWithoutBytes = 0;
    for (int i = 0; roundsWithoutBytes < QUIET_ROUNDS_MAX && !(i > 1 && isSettled(world)); i++) {
      require(i < 2_000, "settles for ever");
      world.deliverAll();
      world.pass(TimeUnit.MILLISECONDS.toNanos(100));
      for (Host host : new Host[] {world.ours, world.theirs}) {
        if (host.application.connection.isEstablished()) {
          host.application.settle();
          host.application.flush(world.nowNs);
        }
      }
      long now = bytesReceived(world.ours) + bytesReceived(world.theirs);
      roundsWithoutBytes = now == bytes ? roundsWithoutBytes + 1 : 0;
      bytes = now;
    }
    for (Host host : new Host[] {world.ours, world.theirs}) {
      host.application.checkSettled();
    }
  }

  private static long bytesReceived(Host host) {
    return host.loop.counters().value(CounterId.MESSAGE_BYTES_RECEIVED);
  }

  private static boolean isSettled(FuzzWorld world) {
    return world.ours.application.isSettled() && world.theirs.application.isSettled();
  }
}
