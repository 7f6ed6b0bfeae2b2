package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.connection.EndpointPair.Host;
import io.rtransport.core.connection.EndpointPair.Peer;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.parameter.AgreedParameters;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.WindowClass;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * The final PSNs of a CLOSE: what its sender cannot have reached ends the connection, on both sides
 * of each bound, in both windows.
 */
class FinalPsnTest {
  private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);

  private EndpointPair pair;
  private Peer client;
  private Peer server;

  private void connect() {
    pair = new EndpointPair();
    Host host = pair.host();
    host.listen();
    client = pair.host().connect(host, ConnectionConfig.builder().build());
    pair.runFor(MS);
    server = host.accepted.get(0);
    client.push(10);
    pair.runFor(10 * MS);
  }

  /** The server reads a CLOSE whose final PSNs lie so far above what it has received. */
  private void close(int requests, int data, boolean isAbort) {
    connect();
    closeNow(requests, data, isAbort);
  }

  private void closeNow(int requests, int data, boolean isAbort) {
    LoopResources forger = new LoopResources(1 << 16, 64, new Random(5));
    Connection connection = server.connection;
    int length =
        forger
            .packets()
            .close(
                connection.cid(),
                connection.cookie(),
                777,
                "bye",
                isAbort,
                connection.window().receivedBase(WindowClass.REQUEST) + requests,
                connection.window().receivedBase(WindowClass.DATA) + data);
    byte[] close = new byte[length];
    forger.packets().buffer().get(0, close);
    pair.inject(client.host, server.host.address, close);
    pair.runFor(MS);
  }

  private void assertRefused() {
    assertThat(server.reason.code()).isEqualTo(CloseCode.PROTOCOL_ERROR.code());
    assertThat(server.reason.isByPeer()).isFalse();
    assertThat(server.host.count(CounterId.CLOSES_REFUSED)).isEqualTo(1);
    assertThat(client.reason.code()).as("told").isEqualTo(CloseCode.PROTOCOL_ERROR.code());
    assertThat(server.host.node.size()).isZero();
  }

  @Test
  void shouldEndAtOnceWhenAFinalPsnIsBelowWhatWasReceived() {
    close(-1, 0, false);
    assertRefused();
    close(0, -1, false);
    assertRefused();
    close(0, Integer.MIN_VALUE, false);
    assertRefused();
  }

  @Test
  void shouldEndAtOnceWhenAFinalPsnIsBeyondTheWindow() {
    connect();
    AgreedParameters agreed = server.connection.agreed();
    close(agreed.rx().requestWindow() + 1, 0, false);
    assertRefused();
    close(0, agreed.rx().dataWindow() + 1, false);
    assertRefused();
  }

  @Test
  void shouldHoldTheFinalPsnsOfAnAbortAgainstTheSameRule() {
    close(0, -1, true);
    assertRefused();
    AgreedParameters agreed = server.connection.agreed();
    close(agreed.rx().requestWindow() + 1, 0, true);
    assertRefused();
    close(agreed.rx().requestWindow(), agreed.rx().dataWindow(), true);
    assertThat(server.reason).isEqualTo(new CloseReason(777, "bye", true));
  }

  @Test
  void shouldWaitForWhatIsMissingUpToTheWindowsEnd() {
    connect();
    AgreedParameters agreed = server.connection.agreed();
    closeNow(agreed.rx().requestWindow(), agreed.rx().dataWindow(), false);
    assertThat(server.reason).isNull();
    assertThat(server.host.count(CounterId.CLOSES_REFUSED)).isZero();
    close(0, 0, false);
    assertThat(server.reason).isEqualTo(new CloseReason(777, "bye", true));
  }

  @Test
  void shouldEndWhenWhatWasReceivedPassesTheFinalPsn() {
    connect();
    closeNow(0, 1, false);
    assertThat(server.reason).isNull();
    server.isAcknowledging = false;
    pair.loss =
        flying -> flying.to() == server.host && flying.type() == PacketType.DATA && isFirst();
    client.push(10);
    client.push(10);
    pair.runFor(10 * MS);
    assertRefused();
  }

  private boolean isLost;

  /** The first is resent after the second, so that both arrive at once in the window. */
  private boolean isFirst() {
    boolean isFirst = !isLost;
    isLost = true;
    return isFirst;
  }
}
