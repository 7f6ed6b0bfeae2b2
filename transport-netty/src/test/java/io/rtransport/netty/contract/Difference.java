package io.rtransport.netty.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * Where an RtChannel does not behave as Netty's SocketChannel, and why that stays. Each is asserted
 * on both sides by the test class that it names, so none can go stale; docs/guide/channels.md shows
 * them as a table.
 */
enum Difference {
  WRITE_COMPLETES(
      Cause.WRITE_COMPLETION,
      WriteContractTest.class,
      "a write's promise succeeds",
      "when the system has the bytes",
      "when the peer's application has taken the message",
      "it is what the transport is for: a write that succeeded was not lost"),
  CLOSE_DRAINS(
      Cause.WRITE_COMPLETION,
      CloseContractTest.class,
      "`close()` while flushed bytes wait",
      "fails their promises; the peer reads a part",
      "sends them in the background; their promises end later",
      "the write's promise would have to lie, or the message to be cut"),
  EXCEPTION_AT_THE_TAIL(
      Cause.WRITE_COMPLETION,
      LifeCycleContractTest.class,
      "an exception that no handler of `channelRead` takes",
      "is logged, and the connection goes on",
      "is logged, and fails the write at the peer; a bare buffer's channel closes",
      "a message that was not taken is not completed"),
  INPUT_SHUT_DOWN(
      Cause.WRITE_COMPLETION,
      HalfCloseContractTest.class,
      "what is written to a peer that has called `shutdownInput()`",
      "succeeds, and its system throws most of it away",
      "fails (`NOT_EXECUTED`, `CLOSING`)",
      "a message that was not taken is not completed"),
  IDLE_TIMEOUT(
      Cause.IDLE_TIMEOUT,
      CloseContractTest.class,
      "minutes of silence",
      "pass",
      "end the connection (`IDLE_TIMEOUT_MILLIS`), unless `KEEPALIVE` is set",
      "no connection outlives its peer unseen; nothing below UDP would tell"),
  EMPTY_BUFFERS(
      Cause.MESSAGES,
      WriteContractTest.class,
      "an empty buffer",
      "is not seen by the peer",
      "is an empty message",
      "messages have bounds, a stream has none; codecs for a stream read it as nothing"),
  BATCH_SIZE(
      Cause.MESSAGES,
      ReadContractTest.class,
      "`maxMessagesPerRead` by default",
      "16 (reads, of up to 64 KiB each)",
      "4,096 (messages)",
      "what 16 reads of a stream bring is as many small messages"),
  WATER_MARKS(
      Cause.SYSTEM,
      WritabilityContractTest.class,
      "`WRITE_BUFFER_WATER_MARK` by default",
      "32 and 64 KiB",
      "32 and 512 KiB",
      "what waits for windows and grants stands in the count, and not in a send buffer of the system"),
  CHILDS_LOOP(
      Cause.SYSTEM,
      CloseContractTest.class,
      "an accepted channel's event loop",
      "is one of the child group's",
      "is the one its connection came in on",
      "all connections of a port share its socket, and one thread reads it"),
  PORT_OF_A_CLOSED_SERVER(
      Cause.SYSTEM,
      CloseContractTest.class,
      "the port of a closed server channel with children",
      "can be bound anew",
      "is taken until the last child has closed",
      "the children have no socket of their own, and a second socket would take their packets"),
  WRITABILITY_EVENT(
      Cause.CHOICE,
      WritabilityContractTest.class,
      "`channelWritabilityChanged` of a write on the event loop",
      "comes within the write",
      "comes right after it",
      "no handler is called again from within its own write; `isWritable()` tells at once"),
  BOTH_HALVES_ENDED(
      Cause.CHOICE,
      HalfCloseContractTest.class,
      "a channel whose halves have both ended",
      "stays open until somebody closes it",
      "closes by itself once every transaction has ended",
      "nobody can do anything with it any more, and both sides know that everything has ended");

  /** What a difference comes from. */
  enum Cause {
    WRITE_COMPLETION("The write-completion default"),
    IDLE_TIMEOUT("The idle timeout"),
    MESSAGES("Messages instead of a stream"),
    SYSTEM("No kernel that holds connections"),
    CHOICE("Netty's own trap avoided");

    private final String title;

    Cause(String title) {
      this.title = title;
    }
  }

  private final Cause cause;
  private final Class<?> provenIn;
  private final String what;
  private final String tcp;
  private final String rt;
  private final String why;
  private final Set<Transport> seen = Collections.synchronizedSet(EnumSet.noneOf(Transport.class));

  Difference(Cause cause, Class<?> provenIn, String what, String tcp, String rt, String why) {
    this.cause = cause;
    this.provenIn = provenIn;
    this.what = what;
    this.tcp = tcp;
    this.rt = rt;
    this.why = why;
  }

  /** {@code actual} is what is said of {@code transport}; the two must not be the same. */
  <T> void check(Transport transport, T actual, T ofTcp, T ofRt) {
    assertThat(ofRt).as("%s is no difference", this).isNotEqualTo(ofTcp);
    assertThat(actual).as("%s over %s", this, transport).isEqualTo(transport.isRt() ? ofRt : ofTcp);
    seen.add(transport);
  }

  Class<?> provenIn() {
    return provenIn;
  }

  Set<Transport> seen() {
    return EnumSet.copyOf(seen.isEmpty() ? EnumSet.noneOf(Transport.class) : seen);
  }

  /** All of them as docs/guide/channels.md shows them. */
  static String table() {
    StringBuilder table = new StringBuilder();
    table.append(
        "| from | | Netty's SocketChannel | RtChannel | because |\n|---|---|---|---|---|\n");
    for (Difference d : values()) {
      table.append(
          String.format("| %s | %s | %s | %s | %s |%n", d.cause.title, d.what, d.tcp, d.rt, d.why));
    }
    return table.toString();
  }
}
