/**
 * Content-addressable memory of an event loop. The retransmission engine (by connection, window and
 * PSN) and the reorder engine (by connection and RSN or SSN) share it.
 */
package io.rtransport.core.cam;
