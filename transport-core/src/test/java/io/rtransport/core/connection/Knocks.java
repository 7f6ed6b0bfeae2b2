package io.rtransport.core.connection;

import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.parameter.InitialNumbers;
import io.rtransport.core.wire.ClearHeaderFlyweight;
import io.rtransport.core.wire.Integrity;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.PathDataFlyweight;
import io.rtransport.core.wire.RetryFlyweight;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Random;

/** Makes CONNECTs as strangers do, without an endpoint: for floods. */
final class Knocks {
  private final LoopResources forger = new LoopResources(1 << 16, 64, new Random(5));
  private final Random random;
  private final OfferedParameters offer;

  Knocks(long seed) {
    random = new Random(seed);
    ConnectionConfig config = ConnectionConfig.builder().build();
    offer =
        OfferedParameters.of(
            config,
            InitialNumbers.draw(random),
            config.adpProfile().totalNs(config.adpParameters()));
  }

  /** A new handshake's CONNECT, with a token or, with null, without. */
  byte[] connect(byte[] token) {
    int length =
        forger
            .packets()
            .connect(
                random.nextLong(),
                random.nextLong(),
                random.nextInt() | 1,
                0,
                random.nextLong(),
                offer,
                token);
    return bytes(length);
  }

  /** As {@link #connect}, of another version. */
  byte[] connectOfVersion(int version) {
    byte[] connect = connect(null);
    new ClearHeaderFlyweight().wrap(ByteBuffer.wrap(connect), 0).version(version);
    return sealed(connect);
  }

  /** A packet of some type and length to a connection, its records or body zeros. */
  byte[] packet(int type, int cid, int length) {
    byte[] packet = new byte[length];
    new ClearHeaderFlyweight()
        .wrap(ByteBuffer.wrap(packet), 0)
        .version(ClearHeaderFlyweight.VERSION)
        .type(type)
        .length(length)
        .destinationCid(cid)
        .cookie(random.nextLong());
    return sealed(packet);
  }

  byte[] ping(int cid, long cookie) {
    return bytes(forger.packets().ping(cid, cookie, 1, 0));
  }

  byte[] pathData(int type, int cid, long cookie, long data) {
    return bytes(
        type == PacketType.PATH_CHALLENGE
            ? forger.packets().pathChallenge(cid, cookie, data, PathDataFlyweight.PACKET_LENGTH)
            : forger.packets().pathResponse(cid, cookie, data, false, 0));
  }

  /** A PATH_CHALLENGE of {@code length} bytes. */
  byte[] challenge(int cid, long cookie, long data, int length) {
    return bytes(forger.packets().pathChallenge(cid, cookie, data, length));
  }

  /** A PATH_RESPONSE with a path id; negative: it says that there is none. */
  byte[] response(int cid, long cookie, long data, int pathId) {
    return bytes(forger.packets().pathResponse(cid, cookie, data, true, pathId));
  }

  byte[] versionNegotiation(int cid, long cookie, long nonce, int version) {
    byte[] packet = bytes(forger.packets().versionNegotiation(cid, cookie, nonce));
    packet[28] = (byte) version;
    return sealed(packet);
  }

  static byte[] sealed(byte[] packet) {
    new Integrity().seal(ByteBuffer.wrap(packet), 0, packet.length);
    return packet;
  }

  /** The token that a RETRY carries. */
  static byte[] token(byte[] retryPacket) {
    ByteBuffer buffer = ByteBuffer.wrap(retryPacket);
    RetryFlyweight retry = new RetryFlyweight().wrap(buffer, 0);
    byte[] token = new byte[retry.tokenLength()];
    buffer.get(retry.tokenOffset(), token);
    return token;
  }

  /** Somewhere in the world. */
  InetSocketAddress anywhere() {
    return address(random.nextInt() | 0x0100_0000, 1 + random.nextInt(65_535));
  }

  /** Somewhere in 10.66.0.0/24. */
  InetSocketAddress inOneNetwork() {
    return address(0x0A42_0000 | random.nextInt(256), 1 + random.nextInt(65_535));
  }

  static InetSocketAddress address(int ipv4, int port) {
    try {
      byte[] bytes = ByteBuffer.allocate(4).putInt(ipv4).array();
      return new InetSocketAddress(InetAddress.getByAddress(bytes), port);
    } catch (UnknownHostException e) {
      throw new AssertionError("four bytes are an address", e);
    }
  }

  private byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    forger.packets().buffer().get(0, bytes);
    return bytes;
  }
}
