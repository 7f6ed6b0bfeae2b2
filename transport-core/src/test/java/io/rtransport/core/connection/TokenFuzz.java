package io.rtransport.core.connection;

import io.rtransport.core.fuzz.FuzzInput;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Random;

/**
 * Tokens against the rule: good for the address and port they were minted for, for 15 s, and only
 * as they were minted.
 */
public final class TokenFuzz {
  private TokenFuzz() {}

  /** A token, what becomes of it, who shows it, and when. */
  public static void fuzzerTestOneInput(byte[] data) {
    FuzzInput input = new FuzzInput(data);
    TokenMint mint = new TokenMint(new Random(1), 0);
    long nowNs = 0;
    for (int i = 0; i < 20 && input.hasMore(); i++) {
      nowNs += (long) input.u16() * 1_000_000;
      InetSocketAddress owner = address(input);
      byte[] token = mint.mint(owner, nowNs);
      byte[] shown = token.clone();
      InetSocketAddress bearer = owner;
      switch (input.below(5)) {
        case 0 -> shown[input.u8() % shown.length] ^= (byte) (1 << input.below(8));
        case 1 -> shown = Arrays.copyOf(shown, input.below(80));
        case 2 -> bearer = address(input);
        case 3 -> shown = input.bytes(80);
        default -> {
          // as it was minted
        }
      }
      long ageNs = ((long) input.u16() - 4_096) * 1_000_000 + input.below(3) - 1;
      if (ageNs > 0) {
        nowNs += ageNs; // as time goes, keys are changed
      }
      boolean isGood =
          Arrays.equals(shown, token)
              && bearer.equals(owner)
              && ageNs >= -TokenMint.SKEW_NS
              && ageNs <= TokenMint.LIFETIME_NS;
      if (mint.isValid(shown, bearer, nowNs + Math.min(0, ageNs)) != isGood) {
        throw new AssertionError("good=" + isGood + " age=" + ageNs + " " + owner + " " + bearer);
      }
    }
  }

  private static InetSocketAddress address(FuzzInput input) {
    byte[] bytes = Arrays.copyOf(input.bytes(input.flag() ? 4 : 16), input.flag() ? 4 : 16);
    try {
      return new InetSocketAddress(InetAddress.getByAddress(bytes), input.u16());
    } catch (UnknownHostException e) {
      throw new AssertionError("four or sixteen bytes are an address", e);
    }
  }
}
