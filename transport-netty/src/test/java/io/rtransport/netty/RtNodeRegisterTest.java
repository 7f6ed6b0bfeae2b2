package io.rtransport.netty;

import static io.rtransport.netty.ChannelInternals.inside;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.ChannelFuture;
import io.rtransport.core.adp.AdpParameters;
import io.rtransport.core.adp.AdpProfile;
import io.rtransport.core.adp.BuiltInProfiles;
import io.rtransport.core.adp.InvalidProfileException;
import io.rtransport.core.adp.NodeRegister;
import io.rtransport.core.adp.RoceAcclRegister;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.netty.node.RtNode;
import org.junit.jupiter.api.Test;

/** The register of an event loop group, and the connections that take what it selects. */
class RtNodeRegisterTest {
  private static ConnectionConfig of(RtChannel channel) throws Exception {
    return channel.eventLoop().submit(() -> inside(channel).link().connection().config()).get();
  }

  private static AdpProfile profile(RtChannel channel) throws Exception {
    return of(channel).adpProfile();
  }

  @Test
  void shouldHoldForConnectionsMadeAfterASetOnEachSide() throws Exception {
    try (SocketPair pair = new SocketPair(TransportKind.NIO, 2)) {
      NodeRegister ofServers = RtNode.register(pair.servers());
      NodeRegister ofClients = RtNode.register(pair.clients().next());
      assertThat(RtNode.register(pair.servers().next())).isSameAs(ofServers).isNotSameAs(ofClients);
      pair.listen(SocketPair.nothing(), b -> b.option(RtChannelOption.RECEIVE_LOOPS, 2));

      RtChannel client = pair.connect(SocketPair.nothing());
      RtChannel child = pair.child();
      assertThat(profile(client)).isEqualTo(BuiltInProfiles.DEFAULT);
      assertThat(profile(child)).isEqualTo(BuiltInProfiles.DEFAULT);

      ofServers.set(RoceAcclRegister.encode(BuiltInProfiles.WAN, 1, false));
      ofClients.set(RoceAcclRegister.encode(BuiltInProfiles.LOSSY));
      assertThat(profile(client)).as("was there before").isEqualTo(BuiltInProfiles.DEFAULT);
      assertThat(profile(child)).isEqualTo(BuiltInProfiles.DEFAULT);
      RtChannel later = pair.connect(SocketPair.nothing());
      RtChannel laterChild = pair.child();
      assertThat(profile(later)).isEqualTo(BuiltInProfiles.LOSSY);
      assertThat(of(later).adpParameters()).isEqualTo(AdpParameters.DEFAULT);
      assertThat(profile(laterChild)).isEqualTo(BuiltInProfiles.WAN);
      assertThat(of(laterChild).adpParameters().adaptive()).isFalse();
      assertThat(laterChild.config().getOption(RtChannelOption.PROFILE))
          .isEqualTo(BuiltInProfiles.WAN);

      RtChannel own =
          pair.connect(
              SocketPair.nothing(),
              b -> b.option(RtChannelOption.PROFILE, BuiltInProfiles.DEFAULT));
      assertThat(profile(own)).as("has its own").isEqualTo(BuiltInProfiles.DEFAULT);
    }
  }

  @Test
  void shouldRefuseToDisagreeWithAServerAsLongAsItIsThere() throws Exception {
    AdpParameters uncapped = AdpParameters.DEFAULT.withAckTimeout(0);
    try (SocketPair pair = new SocketPair(TransportKind.NIO)) {
      NodeRegister register = RtNode.register(pair.servers());
      RtServerChannel server =
          pair.listen(
              SocketPair.nothing(), b -> b.option(RtChannelOption.PROFILE_PARAMETERS, uncapped));
      assertThatThrownBy(() -> register.set(RoceAcclRegister.encode(false)))
          .isInstanceOf(InvalidProfileException.class)
          .hasMessageContaining("ack_timeout=0");
      assertThat(register.selection().isAdaptive()).isTrue();
      server.close().sync();
      register.set(RoceAcclRegister.encode(false));

      assertThatThrownBy(
              () ->
                  pair.listen(
                      SocketPair.nothing(),
                      b -> b.option(RtChannelOption.PROFILE_PARAMETERS, uncapped)))
          .isInstanceOf(InvalidProfileException.class);
      RtNode.register(pair.clients()).set(RoceAcclRegister.encode(false));
      pair.listen(SocketPair.nothing());
      ChannelFuture refused =
          pair.client(
                  SocketPair.nothing(), b -> b.option(RtChannelOption.PROFILE_PARAMETERS, uncapped))
              .connect(server.localAddress())
              .await();
      assertThat(refused.cause())
          .isInstanceOf(InvalidProfileException.class)
          .hasMessageContaining("ack_timeout=0");
    }
  }

  @Test
  void shouldBeginAnewWithAnotherGroup() throws Exception {
    NodeRegister former;
    try (SocketPair pair = new SocketPair(TransportKind.NIO)) {
      former = RtNode.register(pair.servers());
      former.set(RoceAcclRegister.encode(BuiltInProfiles.WAN));
    }
    try (SocketPair pair = new SocketPair(TransportKind.NIO)) {
      assertThat(RtNode.register(pair.servers())).isNotSameAs(former);
      assertThat(RtNode.register(pair.servers()).selection().profile())
          .isEqualTo(BuiltInProfiles.DEFAULT);
    }
  }
}
