/**
 * The topmost sublayer: pushes and pulls. Each of them ends exactly once. The package also holds
 * the interfaces by which the application's bytes and events enter and leave the core.
 */
package io.rtransport.core.transaction;
