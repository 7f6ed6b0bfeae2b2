package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class TokenMintTest {
  private final InetSocketAddress address = new InetSocketAddress("127.0.0.1", 7400);
  private final TokenMint mint = new TokenMint(new Random(1), 0);

  @Test
  void shouldTakeItsOwnTokenUntilItsLifetimeEnds() {
    byte[] token = mint.mint(address, 10);

    assertThat(token).hasSize(TokenMint.LENGTH);
    assertThat(mint.isValid(token, address, 10)).isTrue();
    assertThat(mint.isValid(token, address, 10 + TokenMint.LIFETIME_NS)).isTrue();
    assertThat(mint.isValid(token, address, 11 + TokenMint.LIFETIME_NS)).isFalse();
  }

  @Test
  void shouldTakeATokenOnALoopWhoseTurnBeganBeforeItWasMintedButNoneFromTheFuture() {
    byte[] token = mint.mint(address, 2 * TokenMint.SKEW_NS);

    assertThat(mint.isValid(token, address, TokenMint.SKEW_NS)).isTrue();
    assertThat(mint.isValid(token, address, TokenMint.SKEW_NS - 1)).isFalse();
  }

  @Test
  void shouldRotateOnceThoughManyThreadsComeAtTheTime() throws Exception {
    long later = 60_000_000_000L;
    byte[] before = mint.mint(address, later - 1);
    List<Callable<byte[]>> minters = Collections.nCopies(8, () -> mint.mint(address, later));
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      for (Future<byte[]> token : threads.invokeAll(minters)) {
        assertThat(mint.isValid(token.get(), address, later)).isTrue();
      }
    } finally {
      threads.shutdown();
    }
    assertThat(mint.isValid(before, address, later)).isTrue();
  }

  @Test
  void shouldRefuseAnotherAddressPortOrAnyFlippedBit() {
    byte[] token = mint.mint(address, 10);

    assertThat(mint.isValid(token, new InetSocketAddress("127.0.0.2", 7400), 10)).isFalse();
    assertThat(mint.isValid(token, new InetSocketAddress("127.0.0.1", 7401), 10)).isFalse();
    for (int bit = 0; bit < token.length * 8; bit++) {
      byte[] forged = token.clone();
      forged[bit / 8] ^= (byte) (1 << bit % 8);
      assertThat(mint.isValid(forged, address, 20)).as("bit %d", bit).isFalse();
    }
    assertThat(mint.isValid(new byte[0], address, 10)).isFalse();
  }

  @Test
  void shouldStillTakeATokenMintedJustBeforeItsKeyWasRotated() {
    long justBefore = 59_999_999_999L;
    byte[] token = mint.mint(address, justBefore);

    assertThat(mint.isValid(token, address, justBefore + 2)).isTrue();
    assertThat(mint.isValid(token, address, justBefore + TokenMint.LIFETIME_NS)).isTrue();
  }
}
