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
 * Mints and checks tokens, by which a stranger proves its address while the endpoint remembers
 * nothing. A token is an HMAC-SHA256 over address, time and kind. It is valid for 15 s. Keys change
 * every 60 s and the previous key stays valid, so a token never outlives its key.
 *
 * <p>Endpoints that share a clock may share one mint: a stranger's second CONNECT may come to
 * another event loop than its first. See {@link NodeIdentity}. Any thread.
 */
public final class TokenMint {
  static final long LIFETIME_NS = 15_000_000_000L;

  /**
   * Clock difference that is allowed between two loops: the loop that checks a token may have read
   * the clock this much earlier than the loop that minted it.
   */
  static final long SKEW_NS = 1_000_000_000L;

  private static final long KEY_LIFETIME_NS = 60_000_000_000L;
  private static final byte KIND_RETRY = 1;
  private static final int MAC_LENGTH = 24;

  /** Bytes of a token: the time of minting, then the truncated HMAC. */
  static final int LENGTH = Long.BYTES + MAC_LENGTH;

  /** The key that has minted since {@code bornNs}, and the key before. */
  private record Keys(byte[] current, byte[] previous, long bornNs) {}

  private final RandomGenerator secrets;
  private final AtomicReference<Keys> keys;

  /**
   * @param secrets draws the keys. Must be unpredictable outside a simulator, and must allow calls
   *     from all threads that use the mint
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
