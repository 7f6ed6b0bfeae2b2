package io.rtransport.core.connection;

import io.rtransport.core.cam.ContentAddressableMemory;
import io.rtransport.core.solicitation.SolicitationResources;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.window.ProbeBudget;
import io.rtransport.core.window.RetransmissionEngine;
import io.rtransport.core.window.RetransmissionStore;
import io.rtransport.core.window.TurnLateness;
import io.rtransport.core.wire.PacketBurst;
import io.rtransport.core.wire.PacketTools;
import io.rtransport.core.wire.PacketValidator;
import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;

/**
 * What the connections of one event loop share: the retransmission store, the two CAMs, scratch
 * space, counters. Loop-confined.
 */
public final class LoopResources {
  /** Retransmission store of a loop, bytes. */
  public static final int STORE_BYTES_DEFAULT = 32 << 20;

  /**
   * Range of the store's size, bytes: one connection's least in flight, and what an index of 32
   * bits reaches.
   */
  public static final int STORE_BYTES_MIN = 2 << 20;

  public static final int STORE_BYTES_MAX = 1 << 30;

  /**
   * Entries of each CAM: packets in flight, and transactions out of order, of all connections of
   * the loop. It has as many rows for them, each of 264 bytes for 64 consecutive numbers, made when
   * first needed: rows bind no connection before entries do.
   */
  public static final int CAM_ENTRIES_DEFAULT = 1 << 16;

  private static final int SCRATCH_LENGTH = Limits.PACKET_LENGTH_MAX; // a probe of the path MTU

  private final RetransmissionEngine retransmissionEngine;
  private final SolicitationResources solicitation;
  private final TurnLateness lateness = new TurnLateness();
  private final ProbeBudget probes = new ProbeBudget();
  private final Counters counters = new Counters();
  private final PacketBurst outbound = new PacketBurst();
  private final ControlQueue control = new ControlQueue();
  private final PacketTools tools = new PacketTools();
  private final PacketValidator validator = new PacketValidator(tools.integrity());
  private final ControlStage controlStage = new ControlStage();
  private final ControlPackets packets =
      new ControlPackets(ByteBuffer.allocateDirect(SCRATCH_LENGTH));

  /**
   * @param storeBytes of the retransmission store, direct memory; see {@link RetransmissionStore}
   * @param camEntries of each CAM, a power of two
   * @param secrets draws the CAMs' hash keys, which strangers must not guess
   */
  public LoopResources(int storeBytes, int camEntries, RandomGenerator secrets) {
    RetransmissionStore store = new RetransmissionStore(ByteBuffer.allocateDirect(storeBytes));
    retransmissionEngine =
        new RetransmissionEngine(
            new ContentAddressableMemory(camEntries, camEntries, secrets.nextLong()), store);
    solicitation = SolicitationResources.of(camEntries, secrets.nextLong(), tools);
  }

  /** Resources of the default sizes. */
  public LoopResources(RandomGenerator secrets) {
    this(STORE_BYTES_DEFAULT, CAM_ENTRIES_DEFAULT, secrets);
  }

  /** Where packets lie until they are acknowledged: an adapter pins what it sends from there. */
  @SuppressWarnings("exports") // for the modules that drive the core
  public RetransmissionStore store() {
    return retransmissionEngine.store();
  }

  /** CAM a and what it names: packets in flight. */
  @SuppressWarnings("exports") // for the modules that drive the core
  public RetransmissionEngine retransmissionEngine() {
    return retransmissionEngine;
  }

  /** CAM b and what it names: transactions out of order. */
  @SuppressWarnings("exports") // for the modules that drive the core
  public SolicitationResources solicitation() {
    return solicitation;
  }

  /** How late the loop's turns begin. */
  TurnLateness lateness() {
    return lateness;
  }

  /** The share of the loop's sends that may be tail probes. */
  ProbeBudget probes() {
    return probes;
  }

  /** What packets are read and written with. */
  PacketTools tools() {
    return tools;
  }

  /** Sums over all connections of the loop, and what belongs to none. */
  public Counters counters() {
    return counters;
  }

  /** The burst that numbered packets are sent in. */
  PacketBurst outbound() {
    return outbound;
  }

  /** Where unnumbered packets wait until they are taken. */
  ControlQueue control() {
    return control;
  }

  /** What takes the unnumbered packets in. */
  ControlStage controlStage() {
    return controlStage;
  }

  PacketValidator validator() {
    return validator;
  }

  ControlPackets packets() {
    return packets;
  }
}
