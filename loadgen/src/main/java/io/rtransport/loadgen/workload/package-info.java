/**
 * The sent messages, their times, and their results: pacing, message contents, and the counts of
 * sender and receiver. Knows no transport and no clock of its own.
 */
package io.rtransport.loadgen.workload;
