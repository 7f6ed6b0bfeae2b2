package io.rtransport.core.connection;

import io.rtransport.core.connection.EndpointPair.Flying;
import io.rtransport.core.connection.EndpointPair.Host;
import io.rtransport.core.connection.EndpointPair.Peer;
import io.rtransport.core.parameter.ConnectionConfig;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A client and a server with two interfaces each, and a connection over both pairs. */
abstract class TwoPaths {
  static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
  static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  static final ConnectionConfig CONFIG = ConnectionConfig.builder().build();
  static final InetSocketAddress SERVER_2 = Knocks.address(0x0A01_0001, 7_400);
  static final InetSocketAddress CLIENT_2 = Knocks.address(0x0A01_0002, 7_401);

  final EndpointPair pair = new EndpointPair();
  Host server;
  Host client;
  Peer initiator;
  Peer target;

  void hosts() {
    server = pair.host().ni(SERVER_2, "b");
    server.listen();
    client = pair.host().ni(CLIENT_2, "b");
  }

  void connect() {
    initiator = client.connect(CONFIG, new Pair(0, server.address), new Pair(1, SERVER_2));
  }

  void connected() {
    hosts();
    connect();
    pair.runFor(SECOND);
    target = server.accepted.get(0);
  }

  static boolean isOver(Flying flying, int ni) {
    return flying.ni() == ni;
  }

  List<Flying> seenBy(Host to, int type) {
    return pair.seen.stream().filter(f -> f.to() == to && f.type() == type).toList();
  }
}
