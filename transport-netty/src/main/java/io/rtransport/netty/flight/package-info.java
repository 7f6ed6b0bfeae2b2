/**
 * Events of RT for JDK Flight Recorder: retransmissions, stalls, ends of connections and slow
 * transactions. The core knows nothing of it. The events are made at the end of a turn, of the
 * core's counters and of the events that it tells its listeners. While no recording wants them they
 * cost a test of a flag, and no allocation. Events about suspect paths will come with the rails.
 */
package io.rtransport.netty.flight;
