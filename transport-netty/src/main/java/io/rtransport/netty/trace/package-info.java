/**
 * A channel's history as JSON, one line for each event: its packets with their records, its
 * transactions, its ends. It is meant for people who look at it, not for production rates.
 */
package io.rtransport.netty.trace;
