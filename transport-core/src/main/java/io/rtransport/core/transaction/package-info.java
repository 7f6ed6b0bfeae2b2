/**
 * The topmost sublayer: pushes and pulls, each of which ends exactly once. It also holds the
 * interfaces by which the application's bytes and events enter and leave the core.
 */
package io.rtransport.core.transaction;
