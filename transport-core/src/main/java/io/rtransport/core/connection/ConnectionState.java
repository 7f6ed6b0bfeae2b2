package io.rtransport.core.connection;

/**
 * State of a connection. {@link Closing} knows for what a closing side still waits.
 *
 * <pre>
 *   CONNECTING ──▶ ESTABLISHED ──▶ ENDED ──▶ FORGOTTEN
 *        └──────────────────────────┘
 * </pre>
 *
 * <p>ESTABLISHED lasts until every transaction has ended. ENDED keeps the id, to answer late
 * packets.
 */
enum ConnectionState {
  CONNECTING,
  ESTABLISHED,
  ENDED,
  FORGOTTEN
}
