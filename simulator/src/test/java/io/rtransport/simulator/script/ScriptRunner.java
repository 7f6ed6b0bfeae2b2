package io.rtransport.simulator.script;

import io.rtransport.core.stats.CounterId;
import io.rtransport.simulator.script.Script.Line;
import io.rtransport.simulator.script.ScriptWorld.Sent;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Does the lines of one script. What is not as it says fails with the line. */
final class ScriptRunner {
  private static final Map<String, InetSocketAddress> PLACES =
      Map.of(
          "peer", ScriptWorld.PEER,
          "elsewhere", new InetSocketAddress("127.0.0.1", 7_402),
          "abroad", new InetSocketAddress("127.0.0.9", 7_403));

  private final Script script;
  private final ScriptWorld world;
  private final Map<String, String> variables = new HashMap<>();
  private final Map<CounterId, Long> countsBefore = new EnumMap<>(CounterId.class);
  private final List<PacketText> burst = new ArrayList<>();
  private List<PacketText> lastBurst = List.of();

  ScriptRunner(Script script) {
    this.script = script;
    this.world = new ScriptWorld(script.settings());
    for (CounterId id : CounterId.values()) {
      countsBefore.put(id, world.count(id));
    }
  }

  void run() {
    for (Line line : script.lines()) {
      try {
        perform(line);
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError(
            script.name() + ":" + line.number() + ": " + line.text() + "\n  " + e.getMessage(), e);
      }
    }
    String left = rest();
    if (!left.isEmpty()) {
      throw new AssertionError(script.name() + ": not expected at its end: " + left);
    }
  }

  private String rest() {
    StringBuilder left = new StringBuilder();
    for (Sent sent = world.next(world.nowNs()); sent != null; sent = world.next(world.nowNs())) {
      left.append("\n  ").append(PacketCodec.decode(sent.bytes()));
    }
    world
        .application()
        .heard
        .forEach(event -> left.append("\n  the application heard ").append(event));
    return left.toString();
  }

  private void perform(Line line) {
    String rest = line.rest();
    switch (line.verb()) {
      case ">" -> inject(rest);
      case "+" -> burst.add(PacketText.parse(rest, variables));
      case "<" -> expect(rest);
      case "nothing" -> {
        Sent sent = world.next(world.nowNs() + Numbers.timeNs(rest.replace("for ", "")));
        if (sent != null) {
          throw new AssertionError("sent: " + PacketCodec.decode(sent.bytes()));
        }
      }
      case "wait" -> world.pass(Numbers.timeNs(rest));
      case "skip" -> {
        while (world.next(world.nowNs()) != null) {
          // What has left so far is not this script's business.
        }
      }
      case "again" -> {
        burst.addAll(lastBurst);
        inject(burst, ScriptWorld.PEER);
      }
      case "app" -> {
        String[] words = rest.split(" +");
        Map<String, String> fields = new HashMap<>();
        for (int i = 1; i + 1 < words.length; i += 2) {
          fields.put(words[i], words[i + 1]);
        }
        world.application().act(words[0], fields, world.nowNs());
      }
      case "hears" -> hears(rest);
      case "counter" -> count(rest);
      default -> throw new IllegalArgumentException("no such verb");
    }
  }

  private void inject(String text) {
    String place = "peer";
    String packet = text;
    for (String name : PLACES.keySet()) {
      if (packet.contains(" from " + name)) {
        packet = packet.replace(" from " + name, "");
        place = name;
      }
    }
    burst.add(PacketText.parse(packet, variables));
    inject(burst, PLACES.get(place));
  }

  private void inject(List<PacketText> packets, InetSocketAddress from) {
    lastBurst = List.copyOf(packets);
    burst.clear();
    world.inject(lastBurst, from);
  }

  /** {@code PACKET [to PLACE] [in T | in T..U]}: the next packet, at once or so late. */
  private void expect(String text) {
    String packet = text;
    long min = 0;
    long max = 0;
    int at = packet.lastIndexOf(" in ");
    if (at >= 0) {
      String[] times = packet.substring(at + 4).strip().split("\\.\\.");
      min = times.length == 2 ? Numbers.timeNs(times[0]) : 0;
      max = Numbers.timeNs(times[times.length - 1]);
      packet = packet.substring(0, at);
    }
    InetSocketAddress place = null;
    for (String name : PLACES.keySet()) {
      if (packet.contains(" to " + name)) {
        packet = packet.replace(" to " + name, "");
        place = PLACES.get(name);
      }
    }
    PacketText expected = PacketText.parse(packet, Map.of());
    substitute(expected);
    long nowNs = world.nowNs();
    Sent sent = world.next(nowNs + max);
    if (sent == null) {
      throw new AssertionError("nothing was sent" + heard());
    }
    PacketText decoded = PacketCodec.decode(sent.bytes());
    String difference = expected.differenceFrom(decoded, variables);
    if (difference == null && place != null && !place.equals(sent.to())) {
      difference = "to " + place + " expected, not " + sent.to();
    }
    if (difference == null && min > 0 && sent.atNs() - nowNs < min) {
      difference = "after " + (sent.atNs() - nowNs) / 1000 + " us, too early";
    }
    if (difference != null) {
      throw new AssertionError(difference + "; sent: " + decoded + heard());
    }
  }

  private String heard() {
    return world.application().heard.isEmpty()
        ? ""
        : "; the application heard " + world.application().heard;
  }

  /** Names that are known stand for their values; the others are bound. */
  private void substitute(PacketText expected) {
    List<PacketText.Part> parts = new ArrayList<>(List.of(expected.head));
    if (expected.records != null) {
      parts.addAll(expected.records);
    }
    for (PacketText.Part part : parts) {
      part.fields.replaceAll(
          (key, value) ->
              value.startsWith("$") ? variables.getOrDefault(value.substring(1), value) : value);
    }
  }

  private void hears(String text) {
    List<String> heard = world.application().heard;
    if (text.equals("nothing")) {
      if (!heard.isEmpty()) {
        throw new AssertionError("it heard " + heard);
      }
      return;
    }
    for (String event : text.split(",")) {
      if (heard.isEmpty() || !heard.get(0).equals(event.strip())) {
        throw new AssertionError("it heard " + heard);
      }
      heard.remove(0);
    }
  }

  private void count(String text) {
    String[] words = text.split(" +");
    CounterId id = CounterId.valueOf(words[0]);
    long count = world.count(id) - countsBefore.get(id);
    if (count != Numbers.number(words[1])) {
      throw new AssertionError(id + " is " + count);
    }
  }
}
