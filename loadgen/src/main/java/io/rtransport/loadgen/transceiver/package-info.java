/**
 * The transports under load, each behind one interface. All carry the same verified and
 * acknowledged messages.
 */
package io.rtransport.loadgen.transceiver;
