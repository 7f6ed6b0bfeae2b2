/**
 * A network that loses, delays, reorders, duplicates, damages and queues datagrams, as a seeded
 * proxy in a process of its own.
 */
package io.rtransport.loadgen.impair;
