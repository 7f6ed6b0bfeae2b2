/**
 * Network that loses, delays, reorders, duplicates, damages and queues datagrams, as a seeded proxy
 * in its own process.
 */
package io.rtransport.loadgen.impair;
