package io.rtransport.core.connection;

import io.rtransport.core.fuzz.FuzzInput;

/**
 * A peer whose packets come in order, and whose records are anything that their formats allow,
 * against an application that does anything too: solicitation, reassembly and transactions keep
 * their promises to the application, stay in their bounds, and give everything back.
 */
public final class RecordInputFuzz {
  private static final int STEPS_MAX = 120;

  private RecordInputFuzz() {}

  /** Ordered or not, then steps. */
  public static void fuzzerTestOneInput(byte[] data) {
    FuzzInput input = new FuzzInput(data);
    FuzzWorld world = new FuzzWorld(input.flag());
    world.connect();
    world.leaveAlone();
    Connection connection = world.ours.application.connection;
    HostilePackets packets = new HostilePackets(connection);
    for (int i = 0; i < STEPS_MAX && input.hasMore() && connection.isEstablished(); i++) {
      switch (input.below(8)) {
        case 0, 1, 2, 3 -> world.ours.arrive(packets.records(input), world.theirs.address);
        case 4, 5 -> {
          world.ours.application.act(input, world.nowNs);
          world.ours.application.flush(world.nowNs);
        }
        case 6 -> world.ours.arrive(packets.numbers(input), world.theirs.address);
        default -> world.pass((long) input.u8() * input.u8() * 10_000);
      }
    }
    world.end(world.ours);
  }
}
