package io.rtransport.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Bad input is one line on stderr that names the field, the value and what is valid, and exit
 * status 2; nothing was done.
 */
class BadInputTest {
  @TempDir Path directory;

  static Stream<Arguments> wrong() {
    return Stream.of(
        wrong("--to=nowhere", "1..65535", "push pom.xml --to nowhere"),
        wrong("--to=h:0", "1..65535", "push pom.xml --to h:0"),
        wrong("--to=h:65536", "1..65535", "push pom.xml --to h:65536"),
        wrong("--to=::1:7400", "[::1]:7400", "push pom.xml --to ::1:7400"),
        wrong("FILE=no-such-file", "a regular file", "push no-such-file --to h:1"),
        wrong("FILE=src", "a regular file", "push src --to h:1"),
        wrong("FILE=./pom.xml", "different last names", "push pom.xml ./pom.xml --to h:1"),
        wrong(
            "--json=/no/such/dir/x",
            "directory that exists",
            "push pom.xml --to h:1 --json /no/such/dir/x"),
        wrong("--json=src", "can be written", "ls --from h:1 --json src"),
        wrong("--to=no-such-host.invalid:1", "resolve", "push pom.xml --to no-such-host.invalid:1"),
        wrong("NAME=../x", "one file name", "pull ../x --from h:1"),
        wrong("NAME=/etc/passwd", "one file name", "pull /etc/passwd --from h:1"),
        wrong("-o=src", "a file", "pull x --from h:1 -o src"),
        wrong("-o=no/such/dir", "directory that exists", "pull x --from h:1 -o no/such/dir"),
        wrong("--from=h", "HOST:PORT", "ls --from h"),
        wrong("ADDR=h", "HOST:PORT", "ping h"),
        wrong("--count=0", "1..", "ping h:1 --count 0"),
        wrong("--count=many", "1..", "ping h:1 --count many"),
        wrong("--interval=1", "us, ms, s or m", "ping h:1 --interval 1"),
        wrong("--listen=0.0.0.0:0", "--insecure", "target --listen 0.0.0.0:0 --root ."),
        wrong("--listen=[::]:0", "--insecure", "target --listen 127.0.0.1:0,[::]:0 --root ."),
        wrong("--listen=x", "0..65535", "target --listen x --root ."),
        wrong("--root=pom.xml", "a directory", "target --listen 127.0.0.1:0 --root pom.xml"),
        wrong(
            "--profile=x",
            "loopback, lan, lossy, wan",
            "target --listen 127.0.0.1:0 --root . --profile x"),
        wrong("--profile=x", "or a profile file", "push pom.xml --to h:1 --profile x"),
        wrong(
            "time_base",
            "power of two",
            "pull x --from h:1 --profile src/test/resources/wrong-profile.json"),
        wrong("--ack-timeout=32", "0..31", "target --listen 127.0.0.1:0 --root . --ack-timeout 32"),
        wrong("--ack-timeout=x", "0..31", "push pom.xml --to h:1 --ack-timeout x"),
        wrong(
            "--control=src",
            "another kind",
            "target --listen 127.0.0.1:0 --root target/t --control src"),
        wrong("--listen=h:1", "ADDR@NET", "router --listen h:1 --origins a --peer b=h:1"),
        wrong(
            "--listen=127.0.0.1:0@x",
            "each network once",
            "router --listen 127.0.0.1:0@x,127.0.0.1:0@x --origins a --peer b=127.0.0.1:1"),
        wrong(
            "--listen=0.0.0.0:0",
            "--insecure",
            "router --listen 0.0.0.0:0@x --origins a --peer b=127.0.0.1:1"),
        wrong("--peer=b", "NAME=ADDR", "router --listen 127.0.0.1:0@x --origins a --peer b"),
        wrong(
            "--route=9",
            "1..8",
            "router --listen 127.0.0.1:0@x --origins a --peer r=127.0.0.1:1 --route n=r,9"),
        wrong(
            "--route=n=s",
            "one of the peers [r]",
            "router --listen 127.0.0.1:0@x --origins a --peer r=127.0.0.1:1 --route n=s"),
        wrong(
            "--origins=a,",
            "1 to 64",
            "router --listen 127.0.0.1:0@x --origins a, --peer r=127.0.0.1:1"),
        wrong(
            "--far=b",
            "NAME@NET",
            "router --listen 127.0.0.1:0@x --origins a --peer r=127.0.0.1:1 --far b"),
        wrong("--id=8", "0..7", "adp query x --id 8"),
        wrong("--id=0", "1..7", "adp set x --profile lan --id 0"),
        wrong("--profile=", "--retrans", "adp set x"),
        wrong("--id=1", "--profile only", "adp set x --retrans on --id 1"),
        wrong("--profile=lan", "not with --retrans", "adp set x --retrans on --profile lan"),
        wrong("--retrans=maybe", "on, off", "adp set x --retrans maybe"),
        wrong("--hex=12", "128 hexadecimal digits", "adp set x --hex 12"),
        wrong("PATH", "Missing", "adp query"),
        wrong("ADDR", "Missing", "stat"),
        wrong("ADDR=127.0.0.1:7400", "at no port", "stat 127.0.0.1:7400"),
        wrong("ADDR=[::1]:0", "path of a control socket", "stat [::1]:0"),
        wrong("--set=x", "NAME=VALUE", "stat x --set x"),
        wrong("--set==", "health-sensitivity, ", "stat x --set ="),
        wrong("--set=retries=1", "health-sensitivity, ", "stat x --set retries=1"),
        wrong("retry-count=6", "0..5", "stat x --set retry-count=6"),
        wrong("loss-charged-percent=ten", "1..100 %", "stat x --set loss-charged-percent=ten"),
        wrong("retry-count=-1", "0..5", "stat x --set retry-count=1 --set retry-count=-1"),
        wrong(
            "--watch=rt.sock",
            "a duration with us, ms, s or m, 200ms..1440m",
            "stat --watch rt.sock"),
        wrong("--watch=1ms", "200ms", "stat x --watch 1ms"),
        wrong("--watch=often", "us, ms, s or m", "stat x --watch often"),
        wrong("--count=2", "with --watch only", "stat x --count 2"),
        wrong("--count=0", "1..", "stat x --watch --count 0"),
        wrong("--json=src", "can be written", "stat x --json src"),
        wrong("--retry-count=8", "0..7", "pull x --from h:1 --retry-count 8"),
        wrong("--io=kqueue", "nio", "target --listen 127.0.0.1:0 --root . --io kqueue"),
        wrong("--loss=1.5", "0..1", "demo --loss 1.5"),
        wrong("--loss=-1", "0..1", "demo --loss -1"),
        wrong("--seed=x", "64 bits", "demo --seed x"),
        wrong("--rails=9", "1..8", "demo --rails 9"),
        wrong("--rails=0", "1..8", "demo --rails 0"),
        wrong("--api=ring", "channel, queue", "demo --api ring"),
        wrong("--rails=2", "1 with --api queue", "demo --api queue --rails 2"),
        wrong("--files=no-such-file", "a regular file", "demo --files no-such-file"),
        wrong("'--to=", "Missing", "push pom.xml"),
        wrong("FILE", "Missing", "push --to h:1"),
        wrong("'--bogus'", "Unknown", "push pom.xml --to h:1 --bogus"),
        wrong("'bogus'", "Unmatched", "bogus"));
  }

  private static Arguments wrong(String field, String valid, String line) {
    return Arguments.of(field, valid, List.of(line.split(" ")));
  }

  @ParameterizedTest
  @MethodSource("wrong")
  void shouldSayWhatIsWrongInOneLine(String field, String valid, List<String> arguments) {
    CommandRun run = CommandRun.of(arguments.toArray(String[]::new));
    assertThat(run.err()).hasSize(1);
    assertThat(run.err().get(0)).startsWith("rt").contains(field).contains(valid);
    assertThat(run.out()).isEmpty();
    assertThat(run.status()).isEqualTo(2);
  }

  @Test
  void shouldRefuseAFileWhoseNameNoStoreTakes() throws IOException {
    Path file = Files.createFile(directory.resolve("a\nb"));
    CommandRun run = CommandRun.of("push", file.toString(), "--to", "h:1");
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err()).hasSize(1);
    assertThat(run.err().get(0)).contains("a?b").contains("control characters");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "", "demo", "target", "push", "pull", "ls", "ping", "stat", "router", "adp", "sim",
        "version"
      })
  void shouldHelpWithAnExample(String command) {
    CommandRun run =
        CommandRun.of(
            Stream.of(command, "--help").filter(s -> !s.isEmpty()).toArray(String[]::new));
    assertThat(run.status()).isZero();
    assertThat(run.err()).isEmpty();
    assertThat(run.out()).contains("Usage: rt").contains("Example: rt " + command);
  }

  @Test
  void shouldSayVersionsAndWhatTheMachineOffers() throws IOException {
    Path json = directory.resolve("version.json");
    CommandRun run = CommandRun.of("version", "--json", json.toString());
    assertThat(run.status()).isZero();
    assertThat(run.out()).contains("wire version 1").contains("Netty 4.2").contains("nio");
    assertThat(CommandRun.json(json).get("wireVersion").asInt()).isEqualTo(1);
    assertThat(CommandRun.json(json).get("transports")).isNotEmpty();
  }
}
