package io.rtransport.core.solicitation;

import io.rtransport.core.cam.ContentAddressableMemory;
import io.rtransport.core.transaction.TransactionPool;
import io.rtransport.core.wire.PacketTools;

/**
 * Resources that the connections of one event loop share in this sublayer.
 *
 * @param reorderTable CAM b of the patent's Figure 7: transactions that arrived out of order, and
 *     nothing else
 * @param transactions the loop's transactions
 * @param tools tools that read and write records
 * @param holding memory for unsolicited bytes that cannot go to their sink yet
 */
public record SolicitationResources(
    ContentAddressableMemory reorderTable,
    TransactionPool transactions,
    PacketTools tools,
    HoldingMemory holding) {

  /** Makes resources with a reorder table of {@code reorderCapacity} entries (a power of two). */
  public static SolicitationResources of(int reorderCapacity, long hashSeed, PacketTools tools) {
    return new SolicitationResources(
        new ContentAddressableMemory(reorderCapacity, reorderCapacity / 2, hashSeed),
        new TransactionPool(Long.reverse(hashSeed) * 0x9E37_79B9_7F4A_7C15L),
        tools,
        new HoldingMemory());
  }
}
