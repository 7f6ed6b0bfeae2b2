package io.rtransport.core.connection;

import io.rtransport.core.fuzz.FuzzInput;

/**
 * A peer that lies about packet numbers and acknowledgements: packets above, below and in the
 * window, bitmaps, hints, transmissions and held times of all kinds, while we send. The window
 * sublayer hands nothing up twice, keeps its bounds, and gives everything back.
 */
public final class WindowInputFuzz {
  private static final int STEPS_MAX = 150;

  private WindowInputFuzz() {}

  /** Steps. */
  public static void fuzzerTestOneInput(byte[] data) {
    FuzzInput input = new FuzzInput(data);
    FuzzWorld world = new FuzzWorld(true);
    world.connect();
    world.leaveAlone();
    Connection connection = world.ours.application.connection;
    HostilePackets packets = new HostilePackets(connection);
    for (int i = 0; i < STEPS_MAX && input.hasMore() && connection.isEstablished(); i++) {
      switch (input.below(8)) {
        case 0, 1, 2, 3 -> world.ours.arrive(packets.numbers(input), world.theirs.address);
        case 4 -> world.ours.arrive(packets.records(input), world.theirs.address);
        case 5, 6 -> {
          world.ours.application.act(input, world.nowNs);
          world.ours.application.flush(world.nowNs);
        }
        default -> world.pass((long) input.u8() * input.u8() * 10_000);
      }
    }
    world.end(world.ours);
  }
}
