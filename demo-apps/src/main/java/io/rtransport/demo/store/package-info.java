/**
 * The target's files on disk: which names they may have, how they come into being whole or not at
 * all, and their checksums.
 */
package io.rtransport.demo.store;
