/**
 * Wire format: a flyweight for every packet and record, the types, the arithmetic of sequence
 * numbers, the checksum, and the door at which everything a peer sent is checked once. Normative:
 * docs/reference/protocol.md; golden vectors: {@code docs/reference/vectors}. Indexes and offsets
 * that a flyweight returns as {@code int} and names {@code …Offset()} are absolute in its buffer;
 * {@code offset()} of a record is a position in its message.
 */
package io.rtransport.core.wire;
