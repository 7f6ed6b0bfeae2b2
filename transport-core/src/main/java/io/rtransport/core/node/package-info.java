/**
 * Messages of nodes: what is sent again on another connection, and executed once all the same.
 *
 * <p>A connection sends packets again. Where a connection ends, its node sends the message again on
 * a new one, with the same id. {@link io.rtransport.core.node.OnceTable} at the target knows the
 * ids. {@link io.rtransport.core.node.PendingMessage} at the origin decides whether a message may
 * be sent again, and to whom.
 */
package io.rtransport.core.node;
