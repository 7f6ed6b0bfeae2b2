package io.rtransport.simulator;

import static io.rtransport.simulator.InvariantViolation.require;

import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Checks what one host sends to unvalidated addresses: only answers to strangers, and at most three
 * times their bytes. Between sides that know rails a PATH_RESPONSE is one, where a PATH_CHALLENGE
 * with its data came from (docs/reference/protocol.md, section 9.5).
 */
final class AddressGuard {
  private static final int AMPLIFICATION_MAX = 3;

  /** PATH_RESPONSE with a path id. Only sides that know rails send one. */
  private static final int RESPONSE_LENGTH_WITH_RAILS = 32;

  /** An unvalidated address: bytes from it and to it, and the data of challenges both ways. */
  private static final class Stranger {
    private long bytesFrom;
    private long bytesTo;
    private final Set<Long> challengesFrom = new HashSet<>();
    private final Set<Long> challengesTo = new HashSet<>();
  }

  private final Set<InetSocketAddress> proven = new HashSet<>();
  private final Map<InetSocketAddress, Stranger> strangers = new HashMap<>();

  /** Marks {@code address} as validated: the host connects to it, or has a connection with it. */
  void prove(InetSocketAddress address) {
    proven.add(address);
    strangers.remove(address);
  }

  /** Records a datagram that the host reads. */
  void onRead(InetSocketAddress from, WireView view, int length, boolean isDamaged) {
    if (proven.contains(from)) {
      return;
    }
    Stranger stranger = strangers.computeIfAbsent(from, a -> new Stranger());
    boolean isAnswer =
        !isDamaged
            && view.type() == WireView.PATH_RESPONSE
            && stranger.challengesTo.contains(view.i64(16));
    if (isAnswer) {
      prove(from);
    } else {
      stranger.bytesFrom += length;
      if (!isDamaged && view.type() == WireView.PATH_CHALLENGE) {
        stranger.challengesFrom.add(view.i64(16));
      }
    }
  }

  /** Checks a datagram that the host sends. */
  void onSent(InetSocketAddress to, WireView view, int length) {
    if (proven.contains(to)) {
      return;
    }
    Stranger stranger = strangers.computeIfAbsent(to, a -> new Stranger());
    stranger.bytesTo += length;
    boolean isForStrangers =
        switch (view.type()) {
          case WireView.PATH_CHALLENGE,
              WireView.RETRY,
              WireView.ACCEPT,
              WireView.REJECT,
              WireView.RESET ->
              true;
          case WireView.PATH_RESPONSE ->
              length == RESPONSE_LENGTH_WITH_RAILS
                  && stranger.challengesFrom.contains(view.i64(16));
          default -> false;
        };
    if (view.type() == WireView.PATH_CHALLENGE) {
      stranger.challengesTo.add(view.i64(16));
    }
    require(
        isForStrangers && stranger.bytesTo <= AMPLIFICATION_MAX * stranger.bytesFrom,
        Invariant.UNVALIDATED_ADDRESS,
        "type %d is sent to %s, which is not validated: %d bytes for %d",
        view.type(),
        to,
        stranger.bytesTo,
        stranger.bytesFrom);
  }
}
