/**
 * The wire format: a flyweight for every packet and record, the types, sequence number arithmetic
 * and the checksum. {@link io.rtransport.core.wire.PacketDoor} checks everything that a peer sent,
 * once.
 *
 * <p>Normative: docs/reference/protocol.md. Golden vectors: {@code docs/reference/vectors}. A
 * flyweight's {@code …Offset()} methods return absolute indexes in its buffer. A record's {@code
 * offset()} is a position in its message.
 */
package io.rtransport.core.wire;
