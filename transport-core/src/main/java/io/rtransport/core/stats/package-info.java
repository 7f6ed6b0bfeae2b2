/** Counters of RT, and its limits. */
package io.rtransport.core.stats;
