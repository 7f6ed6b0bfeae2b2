/**
 * Deadlines of many connections, and growing delays. Nothing here reads a clock: the time comes in
 * with each call.
 */
package io.rtransport.core.time;
