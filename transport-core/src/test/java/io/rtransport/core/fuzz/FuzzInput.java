package io.rtransport.core.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Draws values from the bytes that a fuzzer wrote, front to back, each from bytes of its own: a
 * small change of the input stays a small change of what is done. Past the end everything is 0.
 */
public final class FuzzInput {
  private final byte[] data;
  private int at;

  public FuzzInput(byte[] data) {
    this.data = data;
  }

  /** Whether there is at least one byte more. */
  public boolean hasMore() {
    return at < data.length;
  }

  public int remaining() {
    return data.length - at;
  }

  /** 0..255. */
  public int u8() {
    return at < data.length ? data[at++] & 0xFF : 0;
  }

  public int u16() {
    return u8() << 8 | u8();
  }

  public int i32() {
    return u16() << 16 | u16();
  }

  public long i64() {
    return (long) i32() << 32 | i32() & 0xFFFF_FFFFL;
  }

  public boolean flag() {
    return (u8() & 1) != 0;
  }

  /** 0 to {@code bound - 1}, of one byte where that is enough. */
  public int below(int bound) {
    return bound <= 256 ? u8() % bound : (i32() & Integer.MAX_VALUE) % bound;
  }

  /** {@code min} to {@code max}, both included. */
  public int range(int min, int max) {
    return min + below(max - min + 1);
  }

  /** At most {@code length} bytes: as many as there are. */
  public byte[] bytes(int length) {
    int count = Math.min(length, data.length - at);
    byte[] taken = Arrays.copyOfRange(data, at, at + count);
    at += count;
    return taken;
  }

  /** All that is left. */
  public byte[] rest() {
    return bytes(data.length - at);
  }

  /** All that is left as UTF-8; what is none becomes U+FFFD. */
  public String text() {
    return new String(rest(), StandardCharsets.UTF_8);
  }
}
