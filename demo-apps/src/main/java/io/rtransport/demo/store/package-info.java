/**
 * The target's files on disk: their valid names, their creation as a whole or not at all, and their
 * checksums.
 */
package io.rtransport.demo.store;
