package io.rtransport.netty;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Lets Awaitility look every 5 ms instead of every 100: what most tests of this module wait for is
 * there within some milliseconds, and hundreds of them wait. A busy machine has 30 s for it. JUnit
 * finds it by itself.
 */
public final class QuickPolls implements BeforeAllCallback {
  private static final Duration POLL = Duration.ofMillis(5);
  private static final Duration LIMIT = Duration.ofSeconds(30);

  @Override
  public void beforeAll(ExtensionContext context) {
    Awaitility.setDefaultPollInterval(POLL);
    Awaitility.setDefaultPollDelay(POLL);
    Awaitility.setDefaultTimeout(LIMIT);
  }
}
