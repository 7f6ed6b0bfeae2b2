/**
 * The content-addressable memory that the retransmission engine (by connection, window and PSN) and
 * the reorder engine (by connection and RSN or SSN) share on an event loop.
 */
package io.rtransport.core.cam;
