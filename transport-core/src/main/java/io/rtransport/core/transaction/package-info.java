/**
 * The topmost sublayer: pushes and pulls, each of which ends exactly once, and the interfaces by
 * which the application's bytes and events pass the core's upper edge.
 */
package io.rtransport.core.transaction;
