package io.rtransport.loadgen;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** What a wrong option looks like: one line, the name, the value, the valid range, exit 2. */
class LoadCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int execute(String... arguments) {
    CommandLine command = LoadCommand.commandLine();
    command.setOut(new PrintWriter(out, true));
    command.setErr(new PrintWriter(err, true));
    return command.execute(arguments);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "load --transport sctp           | --transport=sctp | one of",
        "load --op ping                  | --op=ping        | echo, push, pull, idle",
        "load --transport tcp --control x | --control=x    | with rt only",
        "load --duration 100ms --control src | --control=src | another kind",
        "load --transport tcp --size 15  | --size=15        | 16..256m",
        "load --transport tcp --size 257m | --size=257m     | 16..256m",
        "load --transport tcp --size 1x  | --size=1x        | 16..256m",
        "load --transport tcp --sizes 64,,1k | --sizes=     | 16..256m",
        "load --transport tcp --sizes 64,1k --size 64 | --sizes=64,1k | not with --size",
        "load --transport tcp --rate -1  | --rate=-1        | 0..100000000",
        "load --transport tcp --rate 10 --in-flight 2 | --in-flight=2 | not with --rate",
        "load --transport tcp --in-flight 0 | --in-flight=0 | 1..1048576",
        "load --transport tcp --connections 0 | --connections=0 | 1..10000",
        "load --transport tcp --connections 10001 | --connections=10001 | 1..10000",
        "load --transport tcp --duration 5 | --duration=5   | 100ms..",
        "load --transport tcp --duration 99ms | --duration=99ms | 100ms..",
        "load --transport tcp --warmup 11m | --warmup=11m   | auto, or a duration",
        "load --transport tcp --warmup soon | --warmup=soon | 0..10m",
        "load --transport tcp --window 63 | --window=63     | 64..16384",
        "load --window 192               | --window=192    | a power of two in 64..16384 with rt",
        "load --transport tcp --window 16385 | --window=16385 | 64..16384",
        "load --transport udp --mtu 575  | --mtu=575        | 576..65507",
        "load --transport udp --loss 1.5 | --loss=1.5       | 0..1",
        "load --transport udp --loss 0.1@1 | --loss=0.1@1   | a rail 0..0 of --rails",
        "load --rails 2 --loss 0.1@2     | --loss=0.1@2     | a rail 0..1 of --rails",
        "load --rails 2 --loss 1.1@1     | --loss=1.1       | 0..1",
        "load --rails 2 --delay 1ms@-1   | --delay=1ms@-1   | a rail 0..1 of --rails",
        "load --rails 2 --delay 1ms@1,2ms@1 | --delay=1ms@1,2ms@1 | one value for each rail",
        "load --rails 2 --loss 0.1 --loss 0.2 | --loss=0.1,0.2 | one without @RAIL",
        "load --rails 2 --bandwidth 1m@x | --bandwidth=1m@x | a rail 0..1 of --rails",
        "load --rails 2 --bandwidth @1   | --bandwidth=    | bits a second",
        "load --transport tcp --loss 0.1 | --transport=tcp  | UDP transports only",
        "load --transport udp --loss 0.1 --impair receiver | --impair=receiver | only rt",
        "load --transport udp --impair middle | --impair=middle | proxy or receiver",
        "load --transport udp:gso --io nio | --io=nio       | epoll",
        "load --transport udp:gso --gso off | --gso=off     | on or auto",
        "load --transport udp --op pull --size 8m | --size=8388608 | at most",
        "load --transport tcp --io kqueue | --io=kqueue    | one of ",
        "load --profile moon            | --profile=moon   | loopback, lan, lossy, wan, or a profile file",
        "load --ack-timeout 32           | --ack-timeout=32 | 0..31",
        "load --ack-timeout -1           | --ack-timeout=-1 | 0..31",
        "load --retry-count 8            | --retry-count=8  | 0..7",
        "load --transport tcp --ack-timeout 14 | --ack-timeout=14 | with rt only",
        "load --transport tcp --retry-count 7 | --retry-count=7 | with rt only",
        "load --transport udp --strict-profile | --strict-profile=true | with rt only",
        "load --transport tcp --profile lan | --profile=lan | with rt only",
        "load --congestion moon         | --congestion=moon | one of aimd, swift, fixed",
        "load --transport tcp --congestion swift | --congestion=swift | with rt only",
        "load --rails 0                  | --rails=0        | 1..8",
        "load --rails 9                  | --rails=9        | 1..8",
        "load --transport tcp --rails 2  | --rails=2        | only rt has several paths",
        "load --transport udp --rails 2  | --rails=2        | 1 with udp",
        "compare --transports rt,udp --rails 2 | --rails=2   | 1 with udp",
        "load --rails 2 --impair receiver | --impair=receiver | proxy with several rails",
        "load --kill-rail 0@1s --impair receiver | --impair=receiver | or --kill-rail",
        "load --transport tcp --kill-rail 0@1s | --transport=tcp | UDP transports only",
        "load --kill-rail 1@1s           | --kill-rail=1@1s | a rail 0..0 of --rails",
        "load --rails 2 --kill-rail 2@1s | --kill-rail=2@1s | a rail 0..1 of --rails",
        "load --kill-rail 1s             | --kill-rail=1s   | RAIL@T:close",
        "load --kill-rail 0@1            | --kill-rail=0@1  | from 0 to the duration, 5s",
        "load --kill-rail 0@5001ms       | --kill-rail=0@5001ms | from 0 to the duration, 5s",
        "load --kill-rail 0@-1s          | --kill-rail=0@-1s | from 0 to the duration, 5s",
        "load --kill-rail 0@1s:shut      | --kill-rail=0@1s:shut | RAIL@T:close, RAIL@T:out",
        "load --kill-rail 0@1s:          | --kill-rail=0@1s: | RAIL@T:close, RAIL@T:out",
        "load --kill-rail 0@1s --restore-rail 0@2s:close | --restore-rail=0@2s:close | RAIL@T with",
        "load --restore-rail 0@1s        | --restore-rail=0@1 | only after a kill",
        "load --kill-rail 0@2s --restore-rail 0@1s | --restore-rail=0@1 | only after a kill",
        "load --kill-rail 0@2s --restore-rail 0@2s | --restore-rail=0@2 | later than 2s",
        "load --rails 2 --kill-rail 0@1s --restore-rail 1@2s | --restore-rail=1@2 | same rail",
        "load --kill-rail 0@1s,0@2s      | --kill-rail=0@2  | not killed yet and later than 1s",
        "load --transport tcp --api queue | --api=queue     | only rt has queues",
        "compare --transports udp,tcp --api queue | --api=queue | only rt has queues",
        "load --api ring                 | --api=ring       | channel or queue",
        "load --moderation 1ms           | --moderation=1ms | with --api queue or rt:queue only",
        "load --wake delay               | --wake=delay     | with --api queue or rt:queue only",
        "compare --transports rt,tcp --moderation 1ms | --moderation=1ms | with --api queue",
        "load --api queue --moderation 10001ms | --moderation=10001ms | 0us..10s",
        "load --api queue --moderation -1us | --moderation=-1us | 0us..10s",
        "load --api queue --moderation 0,1ms | --moderation=0,1ms | 0us..10s",
        "compare --transports rt:queue --moderation 1ms,1ms | --moderation=1ms,1ms | each value once",
        "compare --transports rt:queue --moderation 1ms,11s | --moderation=11s | 0us..10s",
        "compare --transports rt:queue --moderation 1ms, | --moderation= | 0us..10s",
        "load --api queue --moderation Auto | --moderation=Auto | 0us..10s, or auto",
        "load --api queue --moderation auto --wake at-once | --wake=at-once | delay with --moderation",
        "load --moderation auto          | --moderation=auto | with --api queue or rt:queue only",
        "load --api queue --moderation 5 | --moderation=5   | 0us..10s",
        "load --transport rt:queue --wake late | --wake=late | at-once or delay",
        "load --api queue --completion sent | --completion=sent | completed with queues",
        "load --api queue --shared-port  | --shared-port=true | not with queues",
        "load --api queue --connections 4097 | --connections=4097 | 1..4096",
        "load --transport aeron --busy-poll | --busy-poll=true | aeron:invoker spins",
        "load --transport kcp --poll-for 50us | --poll-for=50us | not with aeron and kcp",
        "load --transport rt:busy --poll-for 50us | --poll-for=50us | never sleep",
        "load --poll-for 0us            | --poll-for=0us  | 1",
        "load --poll-for 2s             | --poll-for=2s   | 1",
        "load --transport kcp --busy-poll | --busy-poll=true | not with kcp",
        "compare --transports rt,tcp,aeron --busy-poll | --busy-poll=true | aeron:invoker spins",
        "load --transport tcp --flush-window 1ms | --flush-window=1ms | with rt only",
        "load --transport tcp --shared-port | --shared-port=true | with rt only",
        "load --flush-window 11ms        | --flush-window=11ms | 0",
        "load --flush-window 1           | --flush-window=1 | us, ms, s or m",
        "load --transport tcp --mode client | --to=         | HOST:PORT",
        "load --transport tcp --mode client --to x | --to=x | HOST:PORT",
        "load --transport tcp --mode server --listen 0.0.0.0:0 | --listen=0.0.0.0:0 | --insecure",
        "load --transport tcp --completion sent | --completion=sent | with rt only",
        "load --completion acked         | --completion=acked | completed",
        "load --transport aeron --mtu 65505 | --mtu=65505  | 576..65504",
        "load --transport quic --mtu 1199 | --mtu=1199     | 1200..16383",
        "load --transport quic --io nio --gso on | --gso=on | off or auto",
        "load --transport quic --loss 0.1 --impair receiver | --impair=receiver | only rt",
        "load --transport kcp --mtu 2049 | --mtu=2049      | 576..2048",
        "load --transport aeron --connections 1001 | --connections=1001 | 1..1000",
        "load --transport aeron:invoker --threads 2 | --threads=2 | 1 with aeron:invoker",
        "load --transport aeron --loss 0.1 --impair receiver | --impair=receiver | only rt",
        "load --transport aeron --completion sent | --completion=sent | with rt only",
        "load --io nio --gso on          | --gso=on         | off or auto",
        "load --mtu 8193                 | --mtu=8193       | 576..8192",
        "load --loss 0.1 --bandwidth 1m --impair receiver | --bandwidth=1m | not with",
        "load --transport tcp --ordered --unordered | --ordered=true | not with --unordered",
        "compare --transports tcp,tcp    | --transports=tcp,tcp | each name once",
        "compare --transports tcp,sctp   | --transport=sctp | one of",
        "compare --transports tcp --rounds 0 | --rounds=0   | 1..1000",
        "compare --transports udp,tcp --profile lossy | --profile=lossy | with rt only",
        "compare --transports udp,tcp --congestion swift | --congestion=swift | with rt only",
        "compare --transports rt,tcp --profile lossi | --profile=lossi | lossy, wan, or a profile file",
        "compare --transports udp,tcp --loss 0.1 | --transport=tcp | UDP transports only",
        "load --json /no/such/dir/x      | --json=/no/such/dir/x | a directory that exists",
        "load --html src                 | --html=src       | a file that can be written",
        "load --hdr /no/such/dir/x       | --hdr=/no/such/dir/x | a directory that exists",
        "compare --transports tcp --json src | --json=src   | a file that can be written",
        "load --no-such-option           | --no-such-option | Unknown option",
        "compare                         | --transports     | Missing required option",
      })
  void shouldRefuseInOneLineWithNameValueAndRange(String arguments, String named, String valid) {
    assertThat(execute(arguments.split(" "))).isEqualTo(2);
    assertThat(err.toString().lines()).hasSize(1);
    assertThat(err.toString()).startsWith("rt ").contains(named).contains(valid);
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void shouldSayInOneLineThatNoServerIsThere() {
    assertThat(execute("load", "--transport", "tcp", "--mode", "client", "--to", "127.0.0.1:1"))
        .isEqualTo(1);
    assertThat(err.toString().lines()).hasSize(1);
    assertThat(err.toString()).contains("no load server at").contains("127.0.0.1:1");
  }

  @Test
  void shouldHelpWithAnExample() {
    assertThat(execute("load", "--help")).isZero();
    assertThat(execute("compare", "--help")).isZero();
    assertThat(out.toString()).contains("Example: rt load").contains("Example: rt compare");
  }
}
