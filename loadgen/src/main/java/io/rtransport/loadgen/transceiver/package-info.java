/**
 * The transports under load, each behind one interface, carrying the same verified and acknowledged
 * messages.
 */
package io.rtransport.loadgen.transceiver;
