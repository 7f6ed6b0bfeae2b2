/**
 * One event loop. Its driver takes packets from ports to connections, and lets each connection do
 * its due work. Packets of other loops are handed to those.
 */
package io.rtransport.netty.internal.loop;
