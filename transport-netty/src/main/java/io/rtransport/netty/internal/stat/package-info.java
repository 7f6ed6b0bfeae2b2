/**
 * Reads what the channels of this process are doing, for a person who watches. Each event loop is
 * read by short tasks of its own, some connections at a time. So nothing here costs a message
 * anything, and no loop stands still for a reader.
 */
package io.rtransport.netty.internal.stat;
