package io.rtransport.core.connection;

/**
 * Where a connection stands. What a closing side still waits for is {@link Closing}'s.
 *
 * <pre>
 *   CONNECTING ──▶ ESTABLISHED ──▶ ENDED ──▶ FORGOTTEN
 *        └──────────────────────────┘
 * </pre>
 *
 * ESTABLISHED lasts until every transaction has had its end and the application knows; ENDED keeps
 * the id to answer late packets.
 */
enum ConnectionState {
  CONNECTING,
  ESTABLISHED,
  ENDED,
  FORGOTTEN
}
