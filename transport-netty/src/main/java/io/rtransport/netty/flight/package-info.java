/**
 * Events of RT for JDK Flight Recorder: retransmissions, stalls, suspect paths, ends of connections
 * and slow transactions. The core knows nothing of it. The events are made at the end of a turn, of
 * the core's counters and of what it tells. While no recording wants them they cost a test of a
 * flag, and no allocation. The package is not exported: a recording finds events by their names.
 */
package io.rtransport.netty.flight;
