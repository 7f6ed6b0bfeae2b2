package io.rtransport.netty.flight;

import io.netty.channel.Channel;
import io.netty.channel.ChannelPromise;
import io.rtransport.core.outcome.Outcome;
import java.util.function.Function;

/**
 * Measures transactions from their write to the end of their promise, while a recording wants slow
 * ones. Stateless.
 */
public final class TransactionFlight {
  private static final SlowTransactionEvent SLOW = new SlowTransactionEvent(); // never committed

  private TransactionFlight() {}

  /** Returns whether {@link #watch} must be called. */
  public static boolean isOn() {
    return SLOW.isEnabled();
  }

  /**
   * Watches a transaction that was written just now. A write with the void promise is not watched:
   * nobody is told of its end.
   *
   * @param kind message, push or pull
   * @param outcomeOf returns the outcome for the cause of a failed promise
   */
  public static void watch(
      Channel channel,
      String kind,
      long lengthBytes,
      ChannelPromise promise,
      Function<Throwable, Outcome> outcomeOf) {
    if (promise.isVoid()) {
      return;
    }
    SlowTransactionEvent event = new SlowTransactionEvent();
    event.begin();
    promise.addListener(
        done -> {
          event.end();
          if (event.shouldCommit()) {
            event.channel = channel.id().asShortText();
            event.peer = String.valueOf(channel.remoteAddress());
            event.kind = kind;
            event.lengthBytes = lengthBytes;
            Outcome outcome = done.isSuccess() ? Outcome.COMPLETED : outcomeOf.apply(done.cause());
            event.outcome = outcome.name();
            event.commit();
          }
        });
  }
}
