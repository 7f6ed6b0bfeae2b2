package io.rtransport.core.connection;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.random.RandomGenerator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Mints and checks the tokens by which an endpoint makes a stranger prove its address without remembering it: an HMAC-SHA256 over address,
 * time and kind. A token lives 15 s; keys rotate every 60 s and the one before is still good, so a token never outlives its key.
 */
final class TokenMint {
  static final long LIFETIME_NS = 15_000_000_000L;
  private static final long KEY_LIFETIME_NS = 60_000_000_000L;
  private static final byte KIND_RETRY = 1;
  private static final int MAC_LENGTH = 24;

  /** A token: when it was minted, then the truncated HMAC, bytes. */
  static final int LENGTH = Long.BYTES + MAC_LENGTH;

  private final RandomGenerator secrets;
  private byte[] key;
  private byte[] previousKey;
  private long keyBornNs;

  TokenMint(RandomGenerator secrets, long nowNs) {
    this.secrets = secrets;
    this.key = draw();
    this.previousKey = draw();
    this.keyBornNs = nowNs;
  }

  byte[] mint(InetSocketAddress address, long nowNs) {
    rotate(nowNs);
    byte[] token = new byte[LENGTH];
    ByteBuffer.wrap(token).putLong(nowNs);
    System.arraycopy(mac(key, address, nowNs), 0, token, Long.BYTES, MAC_LENGTH);
    return token;
  }

  boolean isValid(byte[] token, InetSocketAddress address, long nowNs) {
    rotate(nowNs);
    if (token.length != LENGTH) {
      return false;
    }
    long mintedNs = ByteBuffer.wrap(token).getLong();
    long ageNs = nowNs - mintedNs;
    if (ageNs < 0 || ageNs > LIFETIME_NS) {
      return false;
    }
    byte[] given = Arrays.copyOfRange(token, Long.BYTES, LENGTH);
    return MessageDigest.isEqual(given, mac(key, address, mintedNs))
        | MessageDigest.isEqual(given, mac(previousKey, address, mintedNs));
  }

  private void rotate(long nowNs) {
    if (nowNs - keyBornNs >= KEY_LIFETIME_NS) {
      previousKey = key;
      key = draw();
      keyBornNs = nowNs;
    }
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
