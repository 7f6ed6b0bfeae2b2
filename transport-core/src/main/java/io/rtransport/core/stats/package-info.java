/** Counters of RT, its limits, and the state of a path at one moment. */
package io.rtransport.core.stats;
