package io.rtransport.core.connection;

import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.wire.AcceptFlyweight;
import io.rtransport.core.wire.ClearHeaderFlyweight;
import io.rtransport.core.wire.CloseAckFlyweight;
import io.rtransport.core.wire.CloseFlyweight;
import io.rtransport.core.wire.ConnectFlyweight;
import io.rtransport.core.wire.Integrity;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.PathDataFlyweight;
import io.rtransport.core.wire.PingFlyweight;
import io.rtransport.core.wire.PongFlyweight;
import io.rtransport.core.wire.RejectFlyweight;
import io.rtransport.core.wire.ResetFlyweight;
import io.rtransport.core.wire.RetryFlyweight;
import io.rtransport.core.wire.TlvId;
import io.rtransport.core.wire.TlvWriter;
import io.rtransport.core.wire.VersionNegotiationFlyweight;
import io.rtransport.core.wire.WireText;
import java.nio.ByteBuffer;

/**
 * Writer of unnumbered packets. It writes each packet whole, with its checksum, at the start of one
 * scratch buffer of the event loop. Each method returns the packet's length.
 */
final class ControlPackets {
  private static final byte[] VERSIONS = {ClearHeaderFlyweight.VERSION};

  private final ByteBuffer to;
  private final Integrity integrity = new Integrity();
  private final ClearHeaderFlyweight clear = new ClearHeaderFlyweight();
  private final TlvWriter tlvs = new TlvWriter();
  private final PingFlyweight ping = new PingFlyweight();
  private final PongFlyweight pong = new PongFlyweight();
  private final PathDataFlyweight pathData = new PathDataFlyweight();

  ControlPackets(ByteBuffer to) {
    this.to = to;
  }

  /** Returns the buffer that the packets are written to. */
  ByteBuffer buffer() {
    return to;
  }

  int connect(
      long nonce,
      long incarnation,
      int sourceCid,
      int attempt,
      long cookie,
      OfferedParameters offer,
      byte[] token) {
    ConnectFlyweight connect = new ConnectFlyweight().wrap(to, 0);
    connect
        .nonce(nonce)
        .incarnation(incarnation)
        .sourceCid(sourceCid)
        .attempt(attempt)
        .reserved(0)
        .cookie(cookie);
    tlvs.wrap(to, connect.tlvOffset(), to.capacity() - Integrity.TRAILER_LENGTH);
    tlvs.putBytes(TlvId.VERSIONS, VERSIONS);
    if (token != null) {
      tlvs.putBytes(TlvId.TOKEN, token);
    }
    offer.write(tlvs);
    connect.tlvLength(tlvs.length());
    int end = ConnectFlyweight.FIXED_LENGTH + tlvs.length();
    int padded = Math.max(end, Limits.CONNECT_LENGTH_MIN - Integrity.TRAILER_LENGTH);
    for (int i = end; i < padded; i++) {
      to.put(i, (byte) 0);
    }
    return seal(PacketType.CONNECT, 0, 0, padded);
  }

  int retry(int cid, long cookie, long nonce, byte[] token) {
    RetryFlyweight retry =
        new RetryFlyweight().wrap(to, 0).nonce(nonce).tokenLength(token.length).reserved(0);
    to.put(retry.tokenOffset(), token);
    return seal(PacketType.RETRY, cid, cookie, RetryFlyweight.FIXED_LENGTH + token.length);
  }

  /**
   * @param cookie the cookie that the initiator is given at its pair
   * @param nids NIDs of this side that the initiator is told; null: none
   */
  int accept(HalfOpen halfOpen, long cookie, long incarnation, int attempt, byte[] nids) {
    AcceptFlyweight accept = new AcceptFlyweight().wrap(to, 0);
    accept
        .nonce(halfOpen.name.nonce())
        .incarnation(incarnation)
        .sourceCid(halfOpen.cid)
        .attempt(attempt)
        .reserved(0)
        .cookie(cookie);
    tlvs.wrap(to, accept.tlvOffset(), to.capacity() - Integrity.TRAILER_LENGTH);
    tlvs.putBytes(TlvId.VERSIONS, VERSIONS);
    if (nids != null) {
      tlvs.putBytes(TlvId.NIDS, nids);
    }
    halfOpen.own.write(tlvs);
    accept.tlvLength(tlvs.length());
    return seal(
        PacketType.ACCEPT,
        halfOpen.peerCid(),
        halfOpen.peerCookie,
        AcceptFlyweight.FIXED_LENGTH + tlvs.length());
  }

  int reject(int cid, long cookie, long nonce, CloseCode code) {
    RejectFlyweight reject = new RejectFlyweight().wrap(to, 0).nonce(nonce).code(code.code());
    int length = text(reject.textOffset(), code.sentence());
    return seal(PacketType.REJECT, cid, cookie, RejectFlyweight.FIXED_LENGTH + length);
  }

  int versionNegotiation(int cid, long cookie, long nonce) {
    VersionNegotiationFlyweight versions = new VersionNegotiationFlyweight().wrap(to, 0);
    versions.nonce(nonce).count(VERSIONS.length);
    for (int i = 0; i < VERSIONS.length; i++) {
      versions.versionAt(i, VERSIONS[i]);
    }
    int end = VersionNegotiationFlyweight.FIXED_LENGTH + VERSIONS.length;
    return seal(PacketType.VERSION_NEGOTIATION, cid, cookie, end);
  }

  /** Writes a PATH_CHALLENGE of {@code lengthBytes}. */
  int pathChallenge(int cid, long cookie, long data, int lengthBytes) {
    pathData.wrap(to, 0).data(data);
    int end = lengthBytes - Integrity.TRAILER_LENGTH;
    for (int i = PathDataFlyweight.PATH_ID_OFFSET; i < end; i++) {
      to.put(i, (byte) 0);
    }
    return seal(PacketType.PATH_CHALLENGE, cid, cookie, end);
  }

  /**
   * Writes a PATH_RESPONSE.
   *
   * @param hasId whether it says if this side has a path over the pair
   * @param pathId id of that path; negative: there is none
   */
  int pathResponse(int cid, long cookie, long data, boolean hasId, int pathId) {
    pathData.wrap(to, 0).data(data);
    int length = PathDataFlyweight.PACKET_LENGTH;
    if (hasId) {
      pathData.pathId(pathId);
      length = PathDataFlyweight.RESPONSE_LENGTH_MAX;
    }
    return seal(PacketType.PATH_RESPONSE, cid, cookie, length - Integrity.TRAILER_LENGTH);
  }

  int ping(int cid, long cookie, int id, int pathId) {
    ping.wrap(to, 0).id(id).pathIdWord(0).pathId(pathId);
    // Padded so that a peer that has forgotten us can answer with a RESET: a RESET must be smaller
    // than its trigger.
    return ping(cid, cookie, ResetFlyweight.PACKET_LENGTH + Long.BYTES + Integrity.TRAILER_LENGTH);
  }

  /** Writes a PING of {@code length} bytes, to test whether datagrams of this length pass. */
  int probe(int cid, long cookie, int id, int pathId, int length) {
    ping.wrap(to, 0).id(id).pathIdWord(0).pathId(pathId);
    return ping(cid, cookie, length);
  }

  private int ping(int cid, long cookie, int length) {
    int end = PingFlyweight.PACKET_LENGTH - Integrity.TRAILER_LENGTH;
    int padded = length - Integrity.TRAILER_LENGTH;
    for (int i = end; i < padded; i++) {
      to.put(i, (byte) 0);
    }
    return seal(PacketType.PING, cid, cookie, padded);
  }

  int pong(int cid, long cookie, int id, int pathId, long creditLimit) {
    pong.wrap(to, 0).id(id).pathIdWord(0).pathId(pathId).creditLimit(creditLimit);
    return seal(
        PacketType.PONG, cid, cookie, PongFlyweight.PACKET_LENGTH - Integrity.TRAILER_LENGTH);
  }

  int close(
      int cid,
      long cookie,
      int code,
      String text,
      boolean isAbort,
      int finalRequestPsn,
      int finalDataPsn) {
    CloseFlyweight close =
        new CloseFlyweight()
            .wrap(to, 0)
            .code(code)
            .flagsWord(0)
            .flags(isAbort ? CloseFlyweight.FLAG_ABORT : 0);
    close.finalRequestPsn(finalRequestPsn).finalDataPsn(finalDataPsn);
    int length = text(close.textOffset(), text);
    return seal(PacketType.CLOSE, cid, cookie, CloseFlyweight.FIXED_LENGTH + length);
  }

  int closeAck(int cid, long cookie, boolean isAborted) {
    new CloseAckFlyweight()
        .wrap(to, 0)
        .flagsWord(0)
        .flags(isAborted ? CloseAckFlyweight.FLAG_ABORTED : 0);
    return seal(
        PacketType.CLOSE_ACK,
        cid,
        cookie,
        CloseAckFlyweight.PACKET_LENGTH - Integrity.TRAILER_LENGTH);
  }

  int reset(int triggerCid, long triggerCookie) {
    new ResetFlyweight().wrap(to, 0).triggerCid(triggerCid).triggerCookie(triggerCookie);
    return seal(PacketType.RESET, 0, 0, ResetFlyweight.PACKET_LENGTH - Integrity.TRAILER_LENGTH);
  }

  private int seal(int type, int cid, long cookie, int end) {
    int length = end + Integrity.TRAILER_LENGTH;
    clear
        .wrap(to, 0)
        .version(ClearHeaderFlyweight.VERSION)
        .type(type)
        .length(length)
        .destinationCid(cid)
        .cookie(cookie);
    integrity.seal(to, 0, length);
    return length;
  }

  private int text(int offset, String text) {
    return WireText.put(to, offset, WireText.LENGTH_MAX, text);
  }
}
