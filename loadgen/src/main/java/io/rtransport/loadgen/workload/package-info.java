/**
 * What is sent and when, and what became of it: pacing, message contents, and the accounts of
 * sender and receiver. Knows no transport and no clock of its own.
 */
package io.rtransport.loadgen.workload;
