package io.rtransport.guests;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.InsecureServerCredentials;
import io.grpc.ServerBuilder;
import io.grpc.ServerCredentials;
import io.grpc.TlsChannelCredentials;
import io.grpc.TlsServerCredentials;
import io.grpc.netty.InternalNettyChannelBuilder;
import io.grpc.netty.InternalNettyServerBuilder;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.testing.TlsTesting;
import io.grpc.testing.integration.AbstractInteropTest;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.Assume;
import org.junit.Test;

/**
 * gRPC's own interoperability tests over one carrier, with what gRPC adds to them for Netty. JUnit
 * 4's, run by {@link GrpcTest}; each test has a server and a client of its own.
 */
public final class GrpcInterop extends AbstractInteropTest {
  private final Carrier carrier;
  private final boolean isSecure;
  private final EventLoopGroup group;
  private ServerChannel server;

  GrpcInterop(Carrier carrier, boolean isSecure, EventLoopGroup group) {
    this.carrier = carrier;
    this.isSecure = isSecure;
    this.group = group;
  }

  @Override
  protected ServerBuilder<?> getServerBuilder() {
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), serverCredentials())
            .channelFactory(
                () -> {
                  server = carrier.servers().newChannel();
                  return server;
                })
            .bossEventLoopGroup(group)
            .workerEventLoopGroup(group)
            .flowControlWindow(TEST_FLOW_CONTROL_WINDOW)
            .maxInboundMessageSize(MAX_MESSAGE_SIZE);
    InternalNettyServerBuilder.setStatsEnabled(builder, false);
    return builder.addStreamTracerFactory(createCustomCensusTracerFactory());
  }

  @Override
  protected NettyChannelBuilder createChannelBuilder() {
    NettyChannelBuilder builder =
        NettyChannelBuilder.forAddress(serverAddress(), clientCredentials())
            .channelFactory(carrier.clients())
            .eventLoopGroup(group)
            .overrideAuthority("foo.test.google.fr")
            .flowControlWindow(TEST_FLOW_CONTROL_WINDOW)
            .maxInboundMessageSize(MAX_MESSAGE_SIZE);
    InternalNettyChannelBuilder.setStatsEnabled(builder, false);
    return builder.intercept(createCensusStatsClientInterceptor());
  }

  private InetSocketAddress serverAddress() {
    return (InetSocketAddress) server.localAddress();
  }

  private ServerCredentials serverCredentials() {
    try {
      return isSecure
          ? TlsServerCredentials.newBuilder()
              .keyManager(TlsTesting.loadCert("server1.pem"), TlsTesting.loadCert("server1.key"))
              .trustManager(TlsTesting.loadCert("ca.pem"))
              .clientAuth(TlsServerCredentials.ClientAuth.REQUIRE)
              .build()
          : InsecureServerCredentials.create();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private ChannelCredentials clientCredentials() {
    try {
      return isSecure
          ? TlsChannelCredentials.newBuilder()
              .keyManager(TlsTesting.loadCert("client.pem"), TlsTesting.loadCert("client.key"))
              .trustManager(TlsTesting.loadCert("ca.pem"))
              .build()
          : InsecureChannelCredentials.create();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  public void shouldKnowTheClientsAddress() {
    InetSocketAddress client = (InetSocketAddress) obtainRemoteClientAddr();
    assertThat(client.getAddress()).isEqualTo(InetAddress.getLoopbackAddress());
    assertThat(client.getPort()).isNotEqualTo(serverAddress().getPort());
  }

  @Test
  public void shouldKnowItsOwnAddress() {
    assertThat(obtainLocalServerAddr()).isEqualTo(serverAddress());
  }

  @Test
  public void shouldKnowTheClientsName() {
    Assume.assumeTrue(isSecure);
    assertX500SubjectDn("CN=testclient, O=Internet Widgits Pty Ltd, ST=Some-State, C=AU");
  }
}
