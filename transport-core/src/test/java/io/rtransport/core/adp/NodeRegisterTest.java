package io.rtransport.core.adp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rtransport.core.parameter.ConnectionConfig;
import org.junit.jupiter.api.Test;

/** What a node's register selects for new connections, and what it refuses. */
class NodeRegisterTest {
  private static final AdpProfile OF_THE_PAIR =
      AdpProfile.builder()
          .qpTotalTimeout(true)
          .initLowBound(10)
          .range(10, 2, 2, DecMode.DIV_2, 0)
          .build();

  private final NodeRegister register = new NodeRegister();

  @Test
  void shouldSelectTheBuiltInDefaultAndAnswerAsARegisterDoes() {
    RoceAcclRegister plain = new RoceAcclRegister(BuiltInProfiles.DEFAULT);
    assertThat(register.selection())
        .isEqualTo(new AdpSelection(BuiltInProfiles.DEFAULT, true))
        .isSameAs(register.selection());
    byte[] set = RoceAcclRegister.encode(BuiltInProfiles.WAN, 3, false);
    register.set(set);
    plain.set(set);
    for (int id = 0; id <= RoceAcclRegister.PROFILE_ID_MAX; id++) {
      assertThat(register.query(id)).isEqualTo(plain.query(id));
    }
    assertThat(register.query()).isEqualTo(plain.query());
    assertThat(register.selection()).isEqualTo(new AdpSelection(BuiltInProfiles.WAN, false));
  }

  @Test
  void shouldTouchOnlyTheEnableBitByASetOfIt() {
    register.set(RoceAcclRegister.encode(BuiltInProfiles.LOSSY, 2, true));
    AdpSelection before = register.selection();
    register.set(RoceAcclRegister.encode(true));
    assertThat(register.selection()).as("nothing has changed").isSameAs(before);
    register.set(RoceAcclRegister.encode(false));
    assertThat(register.selection()).isEqualTo(new AdpSelection(BuiltInProfiles.LOSSY, false));
  }

  @Test
  void shouldStayAsItIsWhereASetIsInvalid() {
    byte[] set = RoceAcclRegister.encode(BuiltInProfiles.WAN, 1, false);
    set[16 + 3] = 3; // time_base
    byte[] before = register.query();
    assertThatThrownBy(() -> register.set(set))
        .isInstanceOf(InvalidProfileException.class)
        .hasMessageContaining("time_base (timeBase)=3");
    assertThat(register.query()).isEqualTo(before);
    assertThat(register.selection().isAdaptive()).isTrue();
  }

  @Test
  void shouldRefuseWhatDoesNotGoWithASideThatAcceptsUntilItDoesNoMore() {
    AdpParameters uncapped = AdpParameters.DEFAULT.withAckTimeout(0);
    register.follow(AdpParameters.DEFAULT);
    register.follow(uncapped);
    AdpSelection before = register.selection();
    assertThatThrownBy(() -> register.set(RoceAcclRegister.encode(false)))
        .isInstanceOf(InvalidProfileException.class)
        .hasMessageContaining("ack_timeout=0");
    assertThatThrownBy(() -> register.set(RoceAcclRegister.encode(OF_THE_PAIR)))
        .isInstanceOf(InvalidProfileException.class)
        .hasMessageContaining("ack_timeout");
    assertThat(register.selection()).isSameAs(before);
    assertThat(RoceAcclRegister.decode(register.query()).profile()).isEqualTo(BuiltInProfiles.LAN);

    register.unfollow(uncapped);
    register.set(RoceAcclRegister.encode(OF_THE_PAIR, 1, false));
    assertThat(register.selection()).isEqualTo(new AdpSelection(OF_THE_PAIR, false));
    assertThatThrownBy(() -> register.follow(uncapped)).hasMessageContaining("ack_timeout=0");
    register.unfollow(uncapped); // which did not follow
    register.set(RoceAcclRegister.encode(true));
  }

  @Test
  void shouldSelectForWishesThatNameNoProfile() {
    ConnectionConfig plain = ConnectionConfig.builder().build();
    ConnectionConfig own = ConnectionConfig.builder().adpProfile(BuiltInProfiles.DEFAULT).build();
    AdpSelection selection = new AdpSelection(BuiltInProfiles.WAN, false);
    assertThat(own.following(selection)).as("a default that was named").isSameAs(own);
    assertThat(own.toBuilder().build().following(selection).adpProfile())
        .isEqualTo(BuiltInProfiles.DEFAULT);
    assertThat(plain.following(register.selection())).as("nothing selected").isSameAs(plain);
    ConnectionConfig whole = plain.toBuilder().build().following(selection);
    assertThat(whole.adpProfile()).isEqualTo(BuiltInProfiles.WAN);
    assertThat(whole.adpParameters()).isEqualTo(AdpParameters.DEFAULT.withAdaptive(false));
    ConnectionConfig back = whole.following(register.selection());
    assertThat(back.adpProfile()).as("it still follows").isEqualTo(BuiltInProfiles.DEFAULT);
    AdpParameters uncapped = AdpParameters.DEFAULT.withAckTimeout(0);
    ConnectionConfig wrong = ConnectionConfig.builder().adpParameters(uncapped).build();
    assertThatThrownBy(() -> wrong.following(selection)).hasMessageContaining("ack_timeout=0");
  }
}
