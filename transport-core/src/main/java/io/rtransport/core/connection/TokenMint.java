package io.rtransport.core.connection;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Mints and checks the tokens by which an endpoint makes a stranger prove its address without
 * remembering it: an HMAC-SHA256 over address, time and kind. A token lives 15 s; keys rotate every
 * 60 s and the one before is still good, so a token never outlives its key.
 *
 * <p>One mint may serve several endpoints that share a clock, for a stranger's second CONNECT may
 * come to another event loop than its first: see {@link NodeIdentity}. Any thread.
 */
public final class TokenMint {
  static final long LIFETIME_NS = 15_000_000_000L;

  /**
   * How far the turn that checks a token may have read the clock before the one that minted it, on
   * another loop.
   */
  static final long SKEW_NS = 1_000_000_000L;

  private static final long KEY_LIFETIME_NS = 60_000_000_000L;
  private static final byte KIND_RETRY = 1;
  private static final int MAC_LENGTH = 24;

  /** A token: when it was minted, then the truncated HMAC, bytes. */
  static final int LENGTH = Long.BYTES + MAC_LENGTH;

  /** The key that mints since {@code bornNs}, and the one before. */
  private record Keys(byte[] current, byte[] previous, long bornNs) {}

  private final RandomGenerator secrets;
  private final AtomicReference<Keys> keys;

  /**
   * @param secrets draws the keys: must be unpredictable outside a simulator, and take calls of all
   *     the threads that the mint does
   */
  public TokenMint(RandomGenerator secrets, long nowNs) {
    this.secrets = secrets;
    this.keys = new AtomicReference<>(new Keys(draw(), draw(), nowNs));
  }

  byte[] mint(InetSocketAddress address, long nowNs) {
    byte[] token = new byte[LENGTH];
    ByteBuffer.wrap(token).putLong(nowNs);
    System.arraycopy(
        mac(keysAt(nowNs).current(), address, nowNs), 0, token, Long.BYTES, MAC_LENGTH);
    return token;
  }

  boolean isValid(byte[] token, InetSocketAddress address, long nowNs) {
    if (token.length != LENGTH) {
      return false;
    }
    long mintedNs = ByteBuffer.wrap(token).getLong();
    long ageNs = nowNs - mintedNs;
    if (ageNs < -SKEW_NS || ageNs > LIFETIME_NS) {
      return false;
    }
    byte[] given = Arrays.copyOfRange(token, Long.BYTES, LENGTH);
    Keys valid = keysAt(nowNs);
    return MessageDigest.isEqual(given, mac(valid.current(), address, mintedNs))
        | MessageDigest.isEqual(given, mac(valid.previous(), address, mintedNs));
  }

  private Keys keysAt(long nowNs) {
    Keys old = keys.get();
    if (nowNs - old.bornNs() < KEY_LIFETIME_NS) {
      return old;
    }
    keys.compareAndSet(old, new Keys(draw(), old.current(), nowNs)); // or another loop has
    return keys.get();
  }

  private byte[] draw() {
    byte[] drawn = new byte[32];
    secrets.nextBytes(drawn);
    return drawn;
  }

  private static byte[] mac(byte[] key, InetSocketAddress address, long mintedNs) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      mac.update(KIND_RETRY);
      mac.update(address.getAddress().getAddress());
      ByteBuffer rest =
          ByteBuffer.allocate(Integer.BYTES + Long.BYTES)
              .putInt(address.getPort())
              .putLong(mintedNs);
      return Arrays.copyOf(mac.doFinal(rest.array()), MAC_LENGTH);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has HmacSHA256", e);
    }
  }
}
