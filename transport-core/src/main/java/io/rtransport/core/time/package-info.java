/**
 * Deadlines of many connections, and delays that grow. Nothing here reads a clock: the time comes
 * in with each call.
 */
package io.rtransport.core.time;
