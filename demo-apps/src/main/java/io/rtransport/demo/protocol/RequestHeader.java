package io.rtransport.demo.protocol;

import io.rtransport.core.stats.Limits;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * Application header of every request. Big-endian:
 *
 * <pre>
 *  0 version u8 = 2 | 1 operation u8 | 2 name length u16 (0..255)
 *  4 size u64
 * 12 name, UTF-8
 * </pre>
 *
 * The store, not this class, decides whether the name may be stored. Immutable.
 */
public final class RequestHeader {
  /** Length of a header without its name, in bytes. */
  public static final int FIXED_LENGTH = 12;

  /** Longest name, in bytes of UTF-8. */
  public static final int NAME_LENGTH_MAX = 255;

  /** Length of the checksum after a file's bytes. */
  public static final int SHA256_LENGTH = 32;

  /** Longest file, bytes. Its checksum is part of the message that carries it. */
  public static final long FILE_SIZE_MAX = Limits.MESSAGE_LENGTH_MAX - SHA256_LENGTH;

  /** Size in a {@link Operation#STAT} without checksum. No file has it. */
  public static final long SIZE_UNKNOWN = -1;

  private static final int VERSION = 2;

  private final Operation operation;
  private final String name;
  private final long size;

  private RequestHeader(Operation operation, String name, long size) {
    this.operation = operation;
    this.name = name;
    this.size = size;
  }

  /**
   * Returns the header of a push of a file of {@code sizeBytes} bytes. Its checksum follows the
   * bytes.
   */
  public static RequestHeader store(String name, long sizeBytes) {
    return new RequestHeader(Operation.STORE, name, sizeBytes);
  }

  /** Returns the header of a question about a file; see {@link Operation#STAT}. */
  public static RequestHeader stat(String name, long sizeBytes) {
    return new RequestHeader(Operation.STAT, name, sizeBytes);
  }

  /** Returns the header of a pull of a file of {@code sizeBytes} bytes. */
  public static RequestHeader fetch(String name, long sizeBytes) {
    return new RequestHeader(Operation.FETCH, name, sizeBytes);
  }

  /** Returns the header of a request for the names after {@code name}. */
  public static RequestHeader list(String name) {
    return new RequestHeader(Operation.LIST, name, 0);
  }

  /** Returns the header of an echo of {@code value}. */
  public static RequestHeader echo(long value) {
    return new RequestHeader(Operation.ECHO, "", value);
  }

  public Operation operation() {
    return operation;
  }

  public String name() {
    return name;
  }

  /** Returns the bytes of the file; for an echo the value to return. */
  public long size() {
    return size;
  }

  /**
   * Returns the header's bytes.
   *
   * @throws IllegalArgumentException if the name is longer than {@link #NAME_LENGTH_MAX} bytes
   */
  public byte[] encode() {
    byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
    if (utf8.length > NAME_LENGTH_MAX) {
      throw new IllegalArgumentException(
          "name of " + utf8.length + " bytes, valid: 0.." + NAME_LENGTH_MAX);
    }
    return ByteBuffer.allocate(FIXED_LENGTH + utf8.length)
        .put((byte) VERSION)
        .put((byte) operation.code())
        .putShort((short) utf8.length)
        .putLong(size)
        .put(utf8)
        .array();
  }

  /**
   * Reads the header at {@code [index, index + length)}; null when it is not exactly one header of
   * this version.
   */
  public static RequestHeader decode(ByteBuffer from, int index, int length) {
    if (length < FIXED_LENGTH
        || length > FIXED_LENGTH + NAME_LENGTH_MAX
        || from.get(index) != VERSION
        || from.getShort(index + 2) != length - FIXED_LENGTH) {
      return null;
    }
    Operation operation = Operation.ofCode(from.get(index + 1) & 0xFF);
    String name = utf8(from.duplicate().limit(index + length).position(index + FIXED_LENGTH));
    if (operation == null || name == null) {
      return null;
    }
    return new RequestHeader(operation, name, from.getLong(index + 4));
  }

  /** Reads a header that fills the array. */
  public static RequestHeader decode(byte[] header) {
    return decode(ByteBuffer.wrap(header), 0, header.length);
  }

  /** Reads strict UTF-8. Returns null where a replacement character would hide the sent bytes. */
  static String utf8(ByteBuffer bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
    } catch (CharacterCodingException e) {
      return null;
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RequestHeader that
        && operation == that.operation
        && name.equals(that.name)
        && size == that.size;
  }

  @Override
  public int hashCode() {
    return Objects.hash(operation, name, size);
  }

  @Override
  public String toString() {
    return operation + " " + name + " (" + size + ")";
  }
}
