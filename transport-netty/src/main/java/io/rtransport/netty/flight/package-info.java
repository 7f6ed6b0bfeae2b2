/**
 * What RT tells JDK Flight Recorder: retransmissions, stalls, ends of connections and slow
 * transactions. The core knows nothing of it: events are made of its counters and of what it tells
 * its listeners, at the end of a turn. While no recording wants them they cost a test of a flag,
 * and no allocation. Suspicion of a path joins them with the rails.
 */
package io.rtransport.netty.flight;
