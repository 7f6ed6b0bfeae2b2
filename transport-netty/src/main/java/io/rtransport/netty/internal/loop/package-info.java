/**
 * One event loop: its driver takes packets from ports to connections and lets each connection do
 * what is due, and its neighbours are handed the packets that are theirs.
 */
package io.rtransport.netty.internal.loop;
