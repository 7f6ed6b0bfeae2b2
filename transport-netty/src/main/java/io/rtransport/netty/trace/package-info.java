/**
 * A channel's history as JSON, a line an event: its packets with their records, its transactions,
 * its ends. For looking, not for production rates.
 */
package io.rtransport.netty.trace;
