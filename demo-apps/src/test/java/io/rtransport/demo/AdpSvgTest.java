package io.rtransport.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.adp.AdpParameters;
import io.rtransport.core.adp.AdpProfile;
import io.rtransport.core.adp.AdpTimeline;
import io.rtransport.core.adp.AdpTimeline.Step;
import io.rtransport.core.adp.BuiltInProfiles;
import io.rtransport.core.adp.DecMode;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/**
 * The drawing is XML, needs nothing from outside, keeps inside its page, and shows what it is
 * given.
 */
class AdpSvgTest {
  private static final AdpParameters STRICT = AdpParameters.DEFAULT.withStrictProfile(true);

  private static String draw(
      String name, AdpProfile profile, AdpParameters parameters, String events) {
    AdpTimeline timeline =
        AdpTimeline.drive(profile, parameters, profile.initLowBound(), events, 0);
    List<Step> wayBack =
        events.contains("P")
            ? List.of()
            : AdpTimeline.wayBack(profile, parameters, profile.initLowBound(), timeline);
    return AdpSvg.draw(name, profile, parameters, timeline, wayBack);
  }

  private static Element parsed(String svg) throws Exception {
    Element root =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new InputSource(new StringReader(svg)))
            .getDocumentElement();
    assertThat(root.getTagName()).isEqualTo("svg");
    assertThat(svg).doesNotContain("NaN", "Infinity", "href", "<script", "<style", "url(");
    return root;
  }

  private static List<String> texts(Element root) {
    NodeList nodes = root.getElementsByTagName("text");
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < nodes.getLength(); i++) {
      texts.add(nodes.item(i).getTextContent());
    }
    return texts;
  }

  private static void assertInside(Element root) {
    double width = Double.parseDouble(root.getAttribute("width"));
    double height = Double.parseDouble(root.getAttribute("height"));
    NodeList texts = root.getElementsByTagName("text");
    for (int i = 0; i < texts.getLength(); i++) {
      Element text = (Element) texts.item(i);
      assertThat(Double.parseDouble(text.getAttribute("x"))).isBetween(0.0, width);
      assertThat(Double.parseDouble(text.getAttribute("y"))).isBetween(8.0, height - 4);
    }
    NodeList dots = root.getElementsByTagName("circle");
    for (int i = 0; i < dots.getLength(); i++) {
      assertThat(Double.parseDouble(((Element) dots.item(i)).getAttribute("cx")))
          .isBetween(80.0, width);
    }
  }

  @Test
  void shouldNameTheProfileItsRangesItsTotalAndItsEnd() throws Exception {
    Element root = parsed(draw("lan", BuiltInProfiles.LAN, STRICT, "T".repeat(10_000)));
    assertThat(texts(root))
        .contains("ADP profile lan", "gives up", "sent", "65.54 ms", "4.10 ms", "1 s")
        .anyMatch(t -> t.startsWith("gives up after 4.194 s"))
        .anyMatch(t -> t.startsWith("range 0: exponents 10..12, 4.10 ms to 16.38 ms"))
        .anyMatch(t -> t.startsWith("range 1: ") && t.endsWith("then to range 0"));
    assertInside(root);
  }

  @Test
  void shouldShowTheCapWhereItCaps() throws Exception {
    assertThat(texts(parsed(draw("wan", BuiltInProfiles.WAN, STRICT, "TTTT"))))
        .contains("ack_timeout");
    assertThat(texts(parsed(draw("wan", BuiltInProfiles.WAN, STRICT.withAckTimeout(19), "TTTT"))))
        .doesNotContain("ack_timeout");
  }

  @Test
  void shouldMarkProgressAndClaimNoTotalThen() throws Exception {
    Element root = parsed(draw("lan", BuiltInProfiles.LAN, STRICT, "TTTPTPP"));
    assertThat(texts(root)).filteredOn("P"::equals).hasSize(3);
    assertThat(texts(root)).doesNotContain("gives up", "ACKs with progress");
    assertInside(root);
  }

  @Test
  void shouldDrawATimerThatDoesNotAdaptAsOneLine() throws Exception {
    Element root = parsed(draw("lan", BuiltInProfiles.LAN, STRICT.withAdaptive(false), "TTTTTTTT"));
    assertThat(texts(root)).anyMatch(t -> t.contains("roce_adp_retrans_en = 0"));
    assertThat(texts(root)).anyMatch(t -> t.endsWith("always 67.11 ms · no adaptation"));
    assertThat(texts(root)).noneMatch(t -> t.startsWith("range "));
    assertInside(root);
  }

  @Test
  void shouldDrawValuesThatNeverEndAndProfilesOfOneValue() throws Exception {
    AdpProfile huge =
        AdpProfile.builder()
            .retxTotalTimeout(255)
            .initLowBound(255)
            .range(255, 255, 1, DecMode.DIV_2, 0)
            .build();
    assertInside(parsed(draw("huge", huge, STRICT.withAckTimeout(0), "TTT")));
    AdpProfile wide =
        AdpProfile.builder()
            .retxTotalTimeout(255)
            .range(0, 50, 1, DecMode.DIV_2, 0)
            .range(51, 0, 1, DecMode.DIV_2, 0)
            .range(60, 0, 1, DecMode.DIV_2, 0)
            .range(255, 0, 1023, DecMode.DIV_2, 0)
            .build();
    assertInside(parsed(draw("wide", wide, STRICT.withAckTimeout(0), "T".repeat(80))));
    AdpProfile one =
        AdpProfile.builder().retxTotalTimeout(0).range(0, 0, 1, DecMode.DIV_2, 0).build();
    assertInside(parsed(draw("one", one, STRICT, "")));
    assertInside(parsed(draw("one", one, STRICT, "T")));
  }

  @Test
  void shouldStaySmallHoweverManyTimeouts() {
    AdpProfile endless =
        AdpProfile.builder().retxTotalTimeout(255).range(0, 9, 1023, DecMode.DIV_2, 0).build();
    assertThat(draw("endless", endless, STRICT, "T".repeat(10_000)).length()).isLessThan(64_000);
  }

  @Test
  void shouldBeXmlWhateverTheNameAndTheSameInEveryLocale() throws Exception {
    String name = "a<b>&\"'\u0001\u001b\uD800é";
    String svg = draw(name, BuiltInProfiles.LAN, STRICT, "TT");
    assertThat(texts(parsed(svg))).contains("ADP profile a<b>&\"'???é");
    Locale before = Locale.getDefault();
    try {
      Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
      assertThat(draw(name, BuiltInProfiles.LAN, STRICT, "TT")).isEqualTo(svg);
    } finally {
      Locale.setDefault(before);
    }
  }
}
