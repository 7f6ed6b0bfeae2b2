package io.rtransport.core.connection;

import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.rail.Nid;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.wire.ClearHeaderFlyweight;
import io.rtransport.core.wire.ConnectFlyweight;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.TlvId;
import io.rtransport.core.wire.TlvReader;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;

/**
 * The target's half of set-up: decides which strangers become a {@link HalfOpen}, and which of
 * these become a {@link Connection}. A handshake is no connection until it is confirmed.
 *
 * <pre>
 *   CONNECT ──▶ too many half-open and no valid token: RETRY, nothing kept
 *           ──▶ too many with a token from its network prefix, or too many altogether: no answer,
 *           the initiator will repeat CONNECT
 *           ──▶ else {@link HalfOpen} + ACCEPT, the same ACCEPT for a repeated CONNECT
 *   first valid packet with our id and cookie ──▶ {@link Connection}, accepted by the application
 *   CONNECT of another version ──▶ VERSION_NEGOTIATION, nothing kept
 * </pre>
 *
 * <p>Only handshakes with a valid token count against their prefix. Others may use a forged prefix
 * and would shut out its owner.
 *
 * <p>RETRY has no rate limit: a flood would use the limit up and shut out honest initiators. RETRY
 * costs no memory and is an eighth as long as the CONNECT that it answers.
 */
final class ServerHandshake {
  private final Endpoint endpoint;
  private final EndpointConfig config;
  private final LoopResources loop;
  private final RandomGenerator secrets;
  private final CidTable<Object> cids;
  private final PeerTable<Connection> peers;
  private final RateLimiter answers;
  private final Counters counters;
  private final HalfOpens halfOpens;
  private final PrefixCounts proven;
  private final ClearHeaderFlyweight clear = new ClearHeaderFlyweight();
  private TokenMint tokens;

  /**
   * @param answers limits these answers to strangers together with the endpoint's other answers
   */
  ServerHandshake(
      Endpoint endpoint,
      EndpointConfig config,
      LoopResources loop,
      RandomGenerator secrets,
      CidTable<Object> cids,
      PeerTable<Connection> peers,
      AddressHash hash,
      RateLimiter answers) {
    this.endpoint = endpoint;
    this.config = config;
    this.loop = loop;
    this.secrets = secrets;
    this.cids = cids;
    this.peers = peers;
    this.answers = answers;
    this.counters = loop.counters();
    this.halfOpens =
        new HalfOpens(name -> hash.of(name.incarnation(), name.nonce(), name.peerCid()));
    this.proven = new PrefixCounts(hash);
  }

  /** Handles a well-formed CONNECT. */
  void onConnect(
      ByteBuffer buffer,
      int offset,
      int ni,
      InetSocketAddress from,
      ConnectionConfig wishes,
      long nowNs) {
    counters.increment(CounterId.CONNECTS_RECEIVED);
    expire(nowNs);
    ConnectFlyweight connect = new ConnectFlyweight().wrap(buffer, offset);
    HalfOpens.Name name =
        new HalfOpens.Name(connect.incarnation(), connect.sourceCid(), connect.nonce());
    HalfOpen known = halfOpens.find(name);
    if (known != null) {
      onKnown(known, connect, new Pair(ni, from), nowNs);
      return;
    }
    Connection connected = peers.find(from, connect.sourceCid());
    if (connected != null && connected.peerIncarnation() == connect.incarnation()
        || halfOpens.isConfirmedElsewhere(name, from, nowNs)) {
      // A late copy of the CONNECT that made this connection: it never changes a connection.
      counters.increment(CounterId.DROP_STATE);
      return;
    }
    if (wishes == null) {
      reject(connect, CloseCode.REJECTED, nowNs);
      return;
    }
    TlvReader tlvs = new TlvReader().wrap(buffer, connect.tlvOffset(), connect.tlvLength());
    boolean isProven = hasToken(tlvs, buffer, from, nowNs);
    boolean isCrowded = halfOpens.size() >= config.tokenThreshold();
    if (isCrowded && !isProven) {
      retry(connect, from, nowNs);
      return;
    }
    if (!speaksOurVersion(tlvs)) {
      reject(connect, CloseCode.VERSION, nowNs);
      return;
    }
    OfferedParameters peer = OfferedParameters.read(tlvs);
    if (peer == null) {
      reject(connect, CloseCode.PROTOCOL_ERROR, nowNs);
      return;
    }
    boolean isPrefixFull =
        isCrowded && proven.count(from.getAddress()) >= config.halfOpenPerPrefixMax();
    if (isPrefixFull || halfOpens.size() >= config.halfOpenMax()) {
      counters.increment(CounterId.HALF_OPENS_REFUSED);
      return;
    }
    HalfOpen.Source source = new HalfOpen.Source(new Pair(ni, from), secrets.nextLong());
    open(name, connect, source, wishes, peer, isProven, nowNs);
  }

  /** Answers a CONNECT that came again, or by another pair of the same initiator. */
  private void onKnown(HalfOpen halfOpen, ConnectFlyweight connect, Pair pair, long nowNs) {
    HalfOpen.Source source = halfOpen.at(pair.ni(), pair.remote());
    if (source == null) {
      source = new HalfOpen.Source(pair, secrets.nextLong());
      if (!halfOpen.add(source)) {
        counters.increment(CounterId.HALF_OPENS_REFUSED);
        return;
      }
    }
    accept(halfOpen, source, connect.attempt(), nowNs);
  }

  private void open(
      HalfOpens.Name name,
      ConnectFlyweight connect,
      HalfOpen.Source source,
      ConnectionConfig wishes,
      OfferedParameters peer,
      boolean isProven,
      long nowNs) {
    HalfOpen halfOpen =
        new HalfOpen(name, connect.cookie(), source, wishes, endpoint.offer(wishes), peer, nowNs);
    halfOpen.cid = cids.insert(halfOpen, nowNs);
    if (halfOpen.cid == 0) {
      reject(connect, CloseCode.REJECTED, nowNs);
      return;
    }
    halfOpen.isProven = isProven;
    if (isProven) {
      proven.add(halfOpen.from().getAddress(), 1);
    }
    halfOpens.add(halfOpen);
    accept(halfOpen, source, connect.attempt(), nowNs);
  }

  private void accept(HalfOpen halfOpen, HalfOpen.Source source, int attempt, long nowNs) {
    source.onAccept(nowNs);
    byte[] nids = halfOpen.peer.hasRails() ? ToldNids.of(halfOpen.config.nids()).inAccept() : null;
    endpoint.answer(
        loop.packets().accept(halfOpen, source.cookie, endpoint.incarnation(), attempt, nids));
  }

  private void retry(ConnectFlyweight connect, InetSocketAddress from, long nowNs) {
    counters.increment(CounterId.RETRIES_SENT);
    byte[] token = mint(nowNs).mint(from, nowNs);
    endpoint.answer(
        loop.packets().retry(connect.sourceCid(), connect.cookie(), connect.nonce(), token));
  }

  private void reject(ConnectFlyweight connect, CloseCode code, long nowNs) {
    if (answers.tryAcquire(nowNs)) {
      counters.increment(CounterId.REJECTS_SENT);
      endpoint.answer(
          loop.packets().reject(connect.sourceCid(), connect.cookie(), connect.nonce(), code));
    } else {
      counters.increment(CounterId.DROP_RATE);
    }
  }

  /**
   * Handles a datagram of another version. Some fields are the same in all versions. If these say
   * that it is a CONNECT, its sender is told which versions we speak.
   */
  void onOtherVersion(ByteBuffer buffer, int offset, int length, long nowNs) {
    if (length < Limits.CONNECT_LENGTH_MIN || length > Limits.PACKET_LENGTH_MAX) {
      return;
    }
    clear.wrap(buffer, offset);
    boolean isConnect =
        clear.type() == PacketType.CONNECT
            && clear.length() == length
            && clear.destinationCid() == 0
            && clear.cookie() == 0;
    ConnectFlyweight connect = new ConnectFlyweight().wrap(buffer, offset);
    if (!isConnect
        || connect.sourceCid() == 0
        || !loop.tools().integrity().verify(buffer, offset, length)) {
      return;
    }
    if (answers.tryAcquire(nowNs)) {
      counters.increment(CounterId.VERSION_NEGOTIATIONS_SENT);
      endpoint.answer(
          loop.packets()
              .versionNegotiation(connect.sourceCid(), connect.cookie(), connect.nonce()));
    } else {
      counters.increment(CounterId.DROP_RATE);
    }
  }

  /**
   * Handles a packet for a half-open handshake: turns it into a connection, or returns null if the
   * packet is not valid.
   */
  Connection confirm(
      HalfOpen halfOpen,
      ByteBuffer buffer,
      int offset,
      int length,
      int ni,
      InetSocketAddress from,
      long nowNs) {
    boolean isValid = loop.validator().validate(buffer, offset, length) == null;
    HalfOpen.Source source = isValid ? halfOpen.of(clear.wrap(buffer, offset).cookie()) : null;
    if (source == null) {
      return null;
    }
    leave(halfOpen);
    halfOpens.onConfirmed(halfOpen.name, source.pair.remote(), nowNs);
    Connection connection =
        new Connection(
            endpoint,
            loop,
            halfOpen.config,
            source.pairBy(ni, from),
            halfOpen.cid,
            source.cookie,
            secrets.nextLong());
    cids.replace(halfOpen.cid, connection);
    connection.establish(
        halfOpen.peerCid(),
        halfOpen.peerCookie,
        halfOpen.name.incarnation(),
        halfOpen.own.agree(halfOpen.peer),
        source.roundTripNs(nowNs),
        halfOpen.bornNs,
        nowNs);
    for (Nid nid : ToldNids.of(halfOpen.config.nids()).further()) {
      connection.tellNi(true, nid, nowNs);
    }
    return connection;
  }

  private void leave(HalfOpen halfOpen) {
    halfOpens.remove(halfOpen);
    if (halfOpen.isProven) {
      proven.add(halfOpen.from().getAddress(), -1);
    }
  }

  /** Forgets the handshakes that were not confirmed in time. */
  void expire(long nowNs) {
    HalfOpen oldest = halfOpens.oldest();
    while (oldest != null && nowNs - oldest.bornNs >= HalfOpen.LIFETIME_NS) {
      leave(oldest);
      cids.remove(oldest.cid, nowNs);
      counters.increment(CounterId.HALF_OPEN_EXPIRED);
      oldest = halfOpens.oldest();
    }
  }

  /** Returns when {@link #expire} has something to do; {@link Long#MAX_VALUE}: never. */
  long nextDeadlineNs() {
    HalfOpen oldest = halfOpens.oldest();
    return oldest == null ? Long.MAX_VALUE : oldest.bornNs + HalfOpen.LIFETIME_NS;
  }

  /** Returns the number of half-open handshakes. */
  int size() {
    return halfOpens.size();
  }

  private boolean hasToken(TlvReader tlvs, ByteBuffer buffer, InetSocketAddress from, long nowNs) {
    if (!tlvs.find(TlvId.TOKEN)) {
      return false;
    }
    byte[] token = new byte[tlvs.length()]; // at most Limits.TOKEN_LENGTH_MAX: checked by the door
    buffer.get(tlvs.valueOffset(), token);
    return mint(nowNs).isValid(token, from, nowNs);
  }

  private static boolean speaksOurVersion(TlvReader tlvs) {
    if (!tlvs.find(TlvId.VERSIONS)) {
      return true;
    }
    for (int i = 0; i < tlvs.length(); i++) {
      if (tlvs.byteAt(i) == ClearHeaderFlyweight.VERSION) {
        return true;
      }
    }
    return false;
  }

  void tokens(TokenMint shared) {
    tokens = shared;
  }

  private TokenMint mint(long nowNs) {
    if (tokens == null) {
      tokens = new TokenMint(secrets, nowNs);
    }
    return tokens;
  }
}
