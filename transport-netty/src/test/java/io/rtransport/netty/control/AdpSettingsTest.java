package io.rtransport.netty.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.ChannelOption;
import io.rtransport.core.adp.AdpParameters;
import io.rtransport.core.adp.AdpProfile;
import io.rtransport.core.adp.AdpProfileJson;
import io.rtransport.core.adp.AdpSelection;
import io.rtransport.core.adp.BuiltInProfiles;
import io.rtransport.core.adp.DecMode;
import io.rtransport.core.text.InvalidValueException;
import io.rtransport.netty.RtChannelOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is typed of profiles, and what channels are given of it. */
class AdpSettingsTest {
  @TempDir private Path directory;
  private final Map<ChannelOption<?>, Object> set = new HashMap<>();

  private <T> void set(ChannelOption<T> option, T value) {
    set.put(option, value);
  }

  @Test
  void shouldLeaveChannelsAsTheyAreWhereNothingWasTyped() {
    AdpSettings.NONE.applyTo(this::set);
    assertThat(set).containsOnlyKeys(RtChannelOption.PROFILE_PARAMETERS);
    assertThat(set).containsValue(AdpParameters.DEFAULT);
    assertThat(AdpSettings.NONE.selection()).isNull();
    assertThat(AdpSettings.NONE.arguments()).isEmpty();
  }

  @Test
  void shouldGiveAllThatWasTypedToChannelsAndOtherProcesses() {
    AdpSettings settings = AdpSettings.read("wan", "18", "0", true);
    settings.applyTo(this::set);
    assertThat(set)
        .containsEntry(RtChannelOption.PROFILE, BuiltInProfiles.WAN)
        .containsEntry(
            RtChannelOption.PROFILE_PARAMETERS,
            AdpParameters.DEFAULT.withAckTimeout(18).withRetryCount(0).withStrictProfile(true));
    assertThat(settings.arguments())
        .isEqualTo(
            List.of(
                "--profile",
                "wan",
                "--ack-timeout",
                "18",
                "--retry-count",
                "0",
                "--strict-profile"));
  }

  @Test
  void shouldObeyTheEnableBitOfAFile() throws IOException {
    AdpSelection fixed = new AdpSelection(BuiltInProfiles.LOSSY, false);
    Path file = Files.writeString(directory.resolve("f.json"), AdpProfileJson.write(fixed));
    AdpSettings settings = AdpSettings.read(file.toString(), null, null, false);
    assertThat(settings.selection()).isEqualTo(fixed);
    settings.applyTo(this::set);
    assertThat(set)
        .containsEntry(
            RtChannelOption.PROFILE_PARAMETERS, AdpParameters.DEFAULT.withAdaptive(false));
    assertThatThrownBy(() -> AdpSettings.read(file.toString(), "0", null, false))
        .isInstanceOf(InvalidValueException.class)
        .hasMessageContaining("roce_adp_retrans_en=0 with ack_timeout=0");
  }

  @Test
  void shouldRefuseATotalMadeOfACapThatIsOff() throws IOException {
    AdpProfile profile =
        AdpProfile.builder()
            .qpTotalTimeout(true)
            .initLowBound(10)
            .range(10, 2, 2, DecMode.DIV_2, 0)
            .build();
    Path file = Files.writeString(directory.resolve("f.json"), AdpProfileJson.write(profile));
    assertThatThrownBy(() -> AdpSettings.read(file.toString(), "0", null, false))
        .isInstanceOf(InvalidValueException.class)
        .hasMessageContaining("ack_timeout");
    Files.write(file, new byte[(1 << 16) + 1]);
    assertThatThrownBy(() -> AdpSettings.read(file.toString(), null, null, false))
        .hasMessageContaining("--profile=" + file)
        .hasMessageContaining("65536 bytes");
  }
}
