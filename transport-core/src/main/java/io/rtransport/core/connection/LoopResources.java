package io.rtransport.core.connection;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.cam.ContentAddressableMemory;
import io.rtransport.core.solicitation.SolicitationResources;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.window.ProbeBudget;
import io.rtransport.core.window.RetransmissionEngine;
import io.rtransport.core.window.RetransmissionStore;
import io.rtransport.core.window.TurnLateness;
import io.rtransport.core.wire.PacketTools;
import io.rtransport.core.wire.PacketValidator;
import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;

/**
 * Resources that the connections of one event loop share: the retransmission store, the two CAMs,
 * scratch space, counters. Loop-confined.
 */
public final class LoopResources {
  /** Retransmission store of a loop, bytes. */
  public static final int STORE_BYTES_DEFAULT = 32 << 20;

  /**
   * Range of the store's size, bytes. The minimum is the least that one connection may have in
   * flight. The maximum is what an index of 32 bits can address.
   */
  public static final int STORE_BYTES_MIN = 2 << 20;

  public static final int STORE_BYTES_MAX = 1 << 30;

  /**
   * Entries of each CAM, for all connections of the loop: packets in flight in one, transactions
   * out of order in the other.
   *
   * <p>A CAM has as many rows as entries, made when first needed. A row has 264 bytes and holds 64
   * consecutive numbers. So the number of rows never limits a connection before the number of
   * entries does.
   */
  public static final int CAM_ENTRIES_DEFAULT = 1 << 16;

  private static final int SCRATCH_LENGTH = Limits.PACKET_LENGTH_MAX; // fits an MTU probe

  private final RetransmissionEngine retransmissionEngine;
  private final SolicitationResources solicitation;
  private final TurnLateness lateness = new TurnLateness();
  private final ProbeBudget probes = new ProbeBudget();
  private final Counters counters = new Counters();
  private final PacketBurst outbound = new PacketBurst();
  private final ControlQueue control = new ControlQueue();
  private final PacketTools tools = new PacketTools();
  private final PacketValidator validator = new PacketValidator(tools.integrity());
  private final ControlPackets packets =
      new ControlPackets(ByteBuffer.allocateDirect(SCRATCH_LENGTH));

  /**
   * @param storeBytes bytes of the retransmission store, in direct memory; see {@link
   *     RetransmissionStore}
   * @param camEntries entries of each CAM, a power of two
   * @param secrets draws the CAMs' hash keys, which strangers must not guess
   */
  public LoopResources(int storeBytes, int camEntries, RandomGenerator secrets) {
    RetransmissionStore store = new RetransmissionStore(ByteBuffer.allocateDirect(storeBytes));
    retransmissionEngine =
        new RetransmissionEngine(
            new ContentAddressableMemory(camEntries, camEntries, secrets.nextLong()), store);
    solicitation = SolicitationResources.of(camEntries, secrets.nextLong(), tools);
  }

  /** Makes resources of the default sizes. */
  public LoopResources(RandomGenerator secrets) {
    this(STORE_BYTES_DEFAULT, CAM_ENTRIES_DEFAULT, secrets);
  }

  /**
   * Returns the store where packets lie until they are acknowledged. An adapter pins the packets
   * that it sends from there.
   */
  @SuppressWarnings("exports") // for the modules that drive the core
  public RetransmissionStore store() {
    return retransmissionEngine.store();
  }

  /** Returns CAM a with its packets in flight. */
  @SuppressWarnings("exports") // for the modules that drive the core
  public RetransmissionEngine retransmissionEngine() {
    return retransmissionEngine;
  }

  /** Returns CAM b with its transactions out of order. */
  @SuppressWarnings("exports") // for the modules that drive the core
  public SolicitationResources solicitation() {
    return solicitation;
  }

  /** Returns the meter of how late the loop's turns begin. */
  TurnLateness lateness() {
    return lateness;
  }

  /** Returns the budget that limits tail probes to a share of the loop's sends. */
  ProbeBudget probes() {
    return probes;
  }

  /** Returns the tools that read and write packets. */
  PacketTools tools() {
    return tools;
  }

  /** Returns the counters: sums over all connections of the loop, and events of no connection. */
  public Counters counters() {
    return counters;
  }

  /** Returns the burst in which numbered packets are sent. */
  PacketBurst outbound() {
    return outbound;
  }

  /** Returns the queue in which unnumbered packets wait until they are taken. */
  ControlQueue control() {
    return control;
  }

  PacketValidator validator() {
    return validator;
  }

  ControlPackets packets() {
    return packets;
  }
}
