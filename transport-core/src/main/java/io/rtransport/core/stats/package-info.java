/** Counters of RT, its limits, and reports: the state of a path, the messages to a peer. */
package io.rtransport.core.stats;
