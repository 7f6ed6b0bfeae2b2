/**
 * How many bytes may be in flight on a path. No clock of its own: the time comes in with every
 * call.
 */
package io.rtransport.core.congestion;
