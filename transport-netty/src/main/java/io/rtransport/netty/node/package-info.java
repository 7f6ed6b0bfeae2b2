/**
 * Nodes that send messages to each other by name, over connections that they make and make again.
 *
 * <p>A connection sends packets again, on any of its rails. A node sends a message again when its
 * connection ended, and the peer executes it once all the same. Source: LNet Health, whose layer
 * this is; that document leaves duplicates to the layers above.
 *
 * <p>Threads: every public method may be called on any thread, and only {@link
 * io.rtransport.netty.node.RtNode#close} blocks. Futures complete, and callbacks run, on event
 * loops of the node, where nothing may block.
 */
package io.rtransport.netty.node;
