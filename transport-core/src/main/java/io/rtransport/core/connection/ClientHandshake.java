package io.rtransport.core.connection;

import io.rtransport.core.connection.ConnectionTimers.Timer;
import io.rtransport.core.rail.NiError;
import io.rtransport.core.rail.Nid;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.time.Backoff;
import io.rtransport.core.wire.AcceptFlyweight;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.RejectFlyweight;
import io.rtransport.core.wire.RetryFlyweight;
import io.rtransport.core.wire.TlvId;
import io.rtransport.core.wire.TlvReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.random.RandomGenerator;

/**
 * The initiator's half of set-up: repeats CONNECT until ACCEPT, REJECT or the connect timeout. Each
 * attempt goes over every pair that the application gave, each with an attempt number of its own.
 * The pair whose CONNECT the first ACCEPT answers becomes path 0.
 *
 * <pre>
 *   CONNECT ──▶ [RETRY(token) ──▶ CONNECT with token] ──▶ ACCEPT ──▶ established
 * </pre>
 *
 * <p>The next packet to the target confirms the handshake there.
 */
final class ClientHandshake {
  private static final int ATTEMPTS_REMEMBERED = 256;

  /**
   * Times that CONNECT leaves by one port before it leaves by a second one too. The first
   * repetition is most often for a loss or a long path. A RETRY shows that the port works.
   */
  private static final int SENDS_BY_ONE_PORT = 2;

  private final Connection connection;
  private final OfferedParameters own;
  private final long incarnation;
  private final long nonce;
  private final Backoff backoff;
  private final long[] sentNs = new long[ATTEMPTS_REMEMBERED];
  private final byte[] sentBy = new byte[ATTEMPTS_REMEMBERED];

  /** Token of each pair. It proves our address there, and only there. */
  private final byte[][] tokens = new byte[Limits.PATHS_MAX][];

  private int attempt = -1;
  private int sendCount;

  ClientHandshake(
      Connection connection, OfferedParameters own, long incarnation, RandomGenerator random) {
    this.connection = connection;
    this.own = own;
    this.incarnation = incarnation;
    this.nonce = random.nextLong();
    this.backoff = new Backoff(random);
  }

  /** Sends CONNECT over every pair, for the first time or again, and sets its timer. */
  void send(long nowNs) {
    connection.timers().set(Timer.CONNECT, nowNs + backoff.nextDelayNs());
    if (sendCount++ >= SENDS_BY_ONE_PORT && tokens[0] == null) {
      connection.peerPaths.askByNewPort(nowNs);
    }
    for (int place = 0; place < askedCount(); place++) {
      sendBy(place, nowNs);
    }
  }

  // Pairs that are asked have a place: 0 is that of path 0, those of own pairs follow.

  private int askedCount() {
    OwnPairs own = connection.peerPaths.ownPairs();
    return own == null ? 1 : 1 + own.count();
  }

  private Pair pair(int place) {
    PeerPaths paths = connection.peerPaths;
    return place == 0 ? new Pair(paths.ni(), paths.remote()) : paths.ownPairs().pair(place - 1);
  }

  private void sendBy(int place, long nowNs) {
    attempt++;
    sentNs[attempt % ATTEMPTS_REMEMBERED] = nowNs;
    sentBy[attempt % ATTEMPTS_REMEMBERED] = (byte) place;
    int length =
        connection
            .packets()
            .connect(
                nonce,
                incarnation,
                connection.cid(),
                attempt & 0xFF,
                connection.cookie(),
                own,
                tokens[place]);
    connection.counters().increment(CounterId.CONNECTS_SENT);
    int pathIndex = place == 0 ? 0 : OwnPairs.INDEX_FIRST + place - 1;
    connection.transmitControl(length, pathIndex, nowNs);
  }

  /**
   * Handles RETRY: sends CONNECT again with the token, which proves our address. Only the first
   * RETRY of each pair is accepted, so that nobody can keep us busy with more of them.
   *
   * @param place place of the pair that it came by
   */
  void onRetry(int place, ByteBuffer buffer, int offset, long nowNs) {
    RetryFlyweight retry = new RetryFlyweight().wrap(buffer, offset);
    if (retry.nonce() != nonce || tokens[place] != null) {
      connection.counters().increment(CounterId.DROP_STATE);
      return;
    }
    tokens[place] = new byte[retry.tokenLength()];
    buffer.get(retry.tokenOffset(), tokens[place]);
    backoff.reset();
    connection.timers().set(Timer.CONNECT, nowNs + backoff.nextDelayNs());
    sendBy(place, nowNs);
  }

  /**
   * Handles a packet by another pair than the first, over which CONNECT was sent.
   *
   * @return whether the connection takes it. It does not take a refusal: another host may have that
   *     address, so only the first pair ends the attempt
   */
  boolean onElsewhere(Pair pair, int type, ByteBuffer buffer, int offset, long nowNs) {
    int place = 1 + connection.peerPaths.ownPairs().indexOf(pair);
    boolean isReject = type == PacketType.REJECT;
    boolean isRefusal = isReject || type == PacketType.VERSION_NEGOTIATION;
    if (isRefusal && connection.peerPaths.hasSeveralGiven()) {
      if (isReject && isNonce(new RejectFlyweight().wrap(buffer, offset).nonce())) {
        onRejected(place, nowNs);
      }
      return false;
    }
    if (type == PacketType.RETRY) {
      onRetry(place, buffer, offset, nowNs);
    }
    return true;
  }

  /** Notes that the target refuses the connection over the pair at {@code place}. */
  void onRejected(int place, long nowNs) {
    if (connection.peerPaths.hasSeveralGiven()) {
      connection.peerPaths.onSetUpError(pair(place), NiError.PEER_NI_CONNECTION_REJECTED, nowNs);
    }
  }

  /** Notes that the attempt is over: no pair has brought an answer in time. */
  void onConnectTimeout(long nowNs) {
    PeerPaths paths = connection.peerPaths;
    for (int place = 0; paths.hasSeveralGiven() && place < askedCount(); place++) {
      paths.onSetUpError(pair(place), NiError.PEER_NI_CONNECT_ERROR, nowNs);
    }
  }

  /**
   * Handles ACCEPT.
   *
   * @return whether it answers this handshake with usable parameters: then the connection is
   *     established. Another ACCEPT is dropped, and CONNECT is repeated until its timeout
   */
  boolean onAccept(ByteBuffer buffer, int offset, long nowNs) {
    AcceptFlyweight accept = new AcceptFlyweight().wrap(buffer, offset);
    int echoed = accept.attempt();
    if (accept.nonce() != nonce
        || accept.sourceCid() == 0
        || echoed > Math.min(attempt, ATTEMPTS_REMEMBERED - 1)) {
      connection.counters().increment(CounterId.DROP_STATE);
      return false;
    }
    TlvReader tlvs = new TlvReader().wrap(buffer, accept.tlvOffset(), accept.tlvLength());
    OfferedParameters peer = OfferedParameters.read(tlvs);
    if (peer == null) {
      connection.counters().increment(CounterId.DROP_STATE);
      return false;
    }
    connection.timers().stop(Timer.CONNECT);
    connection.timers().stop(Timer.CONNECT_LIMIT);
    if (sentBy[echoed] > 0) {
      connection.peerPaths.confirm(sentBy[echoed] - 1);
    }
    connection.establish(
        accept.sourceCid(),
        accept.cookie(),
        accept.incarnation(),
        own.agree(peer),
        nowNs - sentNs[echoed],
        sentNs[echoed],
        nowNs);
    if (tlvs.find(TlvId.NIDS)) {
      byte[] nids = new byte[tlvs.length()]; // at most NIDS_LENGTH_MAX: checked by the door
      buffer.get(tlvs.valueOffset(), nids);
      connection.peerPaths.tell(Nid.parseList(new String(nids, StandardCharsets.UTF_8)), nowNs);
    }
    return true;
  }

  boolean isNonce(long value) {
    return nonce == value;
  }
}
