package io.rtransport.core.connection;

import io.rtransport.core.connection.FuzzWorld.Flying;
import io.rtransport.core.fuzz.FuzzInput;
import io.rtransport.core.wire.PacketType;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * Packets without number, of every type, to a connection of ours from its peer's address and from
 * others: liveness, close, reset, and a peer that moves. Nobody who has not shown that he is at an
 * address is sent more than three times his bytes there.
 */
public final class ControlInputFuzz {
  private static final int STEPS_MAX = 150;

  private ControlInputFuzz() {}

  /** Steps. */
  public static void fuzzerTestOneInput(byte[] data) {
    FuzzInput input = new FuzzInput(data);
    FuzzWorld world = new FuzzWorld(true);
    world.connect();
    world.leaveAlone();
    Connection connection = world.ours.application.connection;
    HostilePackets packets = new HostilePackets(connection);
    long challenge = 0;
    for (int i = 0; i < STEPS_MAX && input.hasMore(); i++) {
      switch (input.below(8)) {
        case 0, 1, 2, 3 -> {
          byte[] packet = packets.control(input, challenge);
          world.ours.arrive(packet, from(world, input));
        }
        case 4 -> {
          if (connection.isEstablished()) {
            world.ours.arrive(packets.records(input), from(world, input));
          }
        }
        case 5, 6 -> {
          world.ours.application.act(input, world.nowNs);
          world.ours.application.flush(world.nowNs);
        }
        default -> world.pass((long) input.u8() * input.u8() * 100_000);
      }
      for (Flying sent = world.ours.sent.poll(); sent != null; sent = world.ours.sent.poll()) {
        if (sent.type() == PacketType.PATH_CHALLENGE) {
          challenge = ByteBuffer.wrap(sent.bytes()).getLong(16);
        }
      }
    }
    world.end(world.ours);
  }

  private static InetSocketAddress from(FuzzWorld world, FuzzInput input) {
    int where = input.below(16);
    return where < 8 ? world.theirs.address : Knocks.address(0x0A00_0000 + (where & 6), where);
  }
}
