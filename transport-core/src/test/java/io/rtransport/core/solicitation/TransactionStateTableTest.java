package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.stats.CounterId;
import io.rtransport.core.text.PrintedTable;
import io.rtransport.core.transaction.PayloadSource;
import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.transaction.Transaction.Stage;
import io.rtransport.core.wire.CancelFlyweight;
import io.rtransport.core.wire.CompleteInErrorFlyweight;
import io.rtransport.core.wire.CompletedFlyweight;
import io.rtransport.core.wire.PullDataFlyweight;
import io.rtransport.core.wire.PushGrantFlyweight;
import io.rtransport.core.wire.RecordFlyweight;
import io.rtransport.core.wire.RecordType;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * What a transaction does in each of its states with each event, at the side that began it and at
 * the side that serves it, compared with the tables in docs/reference/protocol.md. The transaction
 * is brought into the state by what its application and its peer do.
 */
class TransactionStateTableTest {
  private static final int RSN = -7;
  private static final int SMALL = 100;
  private static final long ANSWER_BYTES = 50 * SMALL;

  /** A payload that is not the toy application's. */
  private static final long FOREIGN = -1;

  private static final int PACKETS_LONG = 5_000;
  private static final int LARGE = 20_000;
  private static final String NOTHING = "·";

  /** How far one is that this side began. */
  private enum Own {
    PUSH_QUEUED("push, no credit yet", Stage.QUEUED),
    PUSH_STARTED("push, partly sent", Stage.STARTED),
    PUSH_SENT("push, all sent", Stage.SENT),
    PUSH_ENDED("push, done before the one below it", Stage.ENDED),
    SOLICITED_ADMITTED("solicited push, not yet asked for", Stage.ADMITTED),
    SOLICITED_ASKED("solicited push, asked for", Stage.STARTED),
    SOLICITED_GRANTED("solicited push, granted", Stage.STARTED),
    SOLICITED_SENT("solicited push, all sent", Stage.SENT),
    PULL_ADMITTED("pull, not yet sent", Stage.ADMITTED),
    PULL_SENT("pull", Stage.SENT),
    PULL_ANSWERED("pull, part of its answer there", Stage.SENT);

    final String text;
    final Stage stage;

    Own(String text, Stage stage) {
      this.text = text;
      this.stage = stage;
    }
  }

  private enum OwnEvent {
    ROOM("room in a packet"),
    GRANT("PUSH_GRANT of all of it"),
    COMPLETED("COMPLETED covers it"),
    ERROR("COMPLETE_IN_ERROR 777"),
    ANSWER("PULL_DATA, to its last byte"),
    CANCEL("the application cancels"),
    END("the connection ends");

    final String text;

    OwnEvent(String text) {
      this.text = text;
    }
  }

  /** How far one of the peer is. */
  private enum Served {
    PUSH_PART("push, part of it there", Stage.ARRIVING),
    PUSH_READY("push, whole before its turn", Stage.READY),
    SOLICITED_LATER("solicited push, LATER", Stage.ARRIVING),
    SOLICITED_GRANTED("solicited push, granted", Stage.ARRIVING),
    PUSH_DELIVERED("push, with the application", Stage.DELIVERED),
    PUSH_COMPLETED("push, acknowledged by it", null),
    PULL_READY("pull before its turn", Stage.READY),
    PULL_DELIVERED("pull, with the application", Stage.DELIVERED),
    PULL_ANSWERING("pull, answer partly sent", Stage.REPORTED),
    FAILED("failed, not yet told", Stage.FAILED),
    FAILURE_TOLD("failed, told", Stage.FAILED);

    final String text;

    /** Null for none: it needs no state any more. */
    final Stage stage;

    Served(String text, Stage stage) {
      this.text = text;
      this.stage = stage;
    }
  }

  private enum ServedEvent {
    REST("the rest of it, or of what is below it, comes"),
    AGAIN("its first record once more"),
    ROOM("room in a packet"),
    ACKNOWLEDGE("the application acknowledges"),
    FAIL("the application fails it, 777"),
    RESPOND("the application answers"),
    CANCEL("CANCEL"),
    RECEIVED("its packets are acknowledged"),
    END("the connection ends");

    final String text;

    ServedEvent(String text) {
      this.text = text;
    }
  }

  private final SolicitationPair.Settings settings = new SolicitationPair.Settings();
  private SolicitationPair pair;
  private ScriptedPeer initiator;
  private ScriptedPeer target;
  private List<ByteBuffer> rest;
  private ByteBuffer first;
  private int rsn;
  private int lastBytesAsked;

  @Test
  void shouldDoAtItsInitiatorWhatTheTableSays() throws Exception {
    String table =
        PrintedTable.of(
            "event",
            List.of(OwnEvent.values()),
            event -> event.text,
            List.of(Own.values()),
            state -> state.text + " (" + state.stage + ")",
            (event, state) -> cell(state, event));
    PrintedTable.check(TransactionStateTableTest.class, "initiator", table);
  }

  @Test
  void shouldDoAtItsTargetWhatTheTableSays() throws Exception {
    String table =
        PrintedTable.of(
            "event",
            List.of(ServedEvent.values()),
            event -> event.text,
            List.of(Served.values()),
            state -> state.text + " (" + (state.stage == null ? "none" : state.stage) + ")",
            (event, state) -> cell(state, event));
    PrintedTable.check(TransactionStateTableTest.class, "target", table);
  }

  private void start() {
    pair = new SolicitationPair(new SplittableRandom(3), settings);
    target = new ScriptedPeer(pair.left);
    initiator = new ScriptedPeer(pair.right);
    pair.left.application.isPlain = true;
    pair.left.application.isSilent = true;
    pair.left.application.isMute = true;
    pair.left.application.openAnswer = 0;
    pair.right.application.isPlain = true;
    pair.right.application.isEnding = true;
    rest = new ArrayList<>();
    first = null;
    rsn = RSN;
    lastBytesAsked = 0;
  }

  // ------------------------------------------------------------------ initiator

  private String cell(Own state, OwnEvent event) {
    enter(state);
    assertThat(ownStage()).as("made %s", state).isEqualTo(state.stage);
    Set<String> parts = new LinkedHashSet<>();
    final List<Long> before = ignored(pair.right);
    happen(event);
    pair.right.tellAll();
    List<String> outcomes = pair.right.application.outcomes;
    boolean isTold = outcomes.size() > rsn - RSN;
    if (isTold) {
      parts.add("told " + outcomes.get(rsn - RSN).replace(" 0", ""));
    }
    if (event == OwnEvent.ROOM || event == OwnEvent.GRANT || event == OwnEvent.CANCEL) {
      initiator.pull().stream()
          .filter(record -> rsnOf(record) == rsn)
          .forEach(record -> parts.add(RecordType.name(record.get(0))));
    }
    addRefusals(parts, pair.right, before);
    Stage stage = ownStage();
    if (stage != state.stage && !isTold) {
      parts.add("→ " + stage);
    }
    return parts.isEmpty() ? NOTHING : String.join("; ", parts);
  }

  /** Null once it was handed up. */
  private Stage ownStage() {
    if (pair.right.transactions.isCompacted(rsn)) {
      Transaction t = pair.right.transactions.restore(rsn);
      return t == null ? Stage.ENDED : t.stage();
    }
    Transaction t = pair.right.transactions.findOwn(rsn);
    return t == null ? null : t.stage();
  }

  private void enter(Own state) {
    settings.creditBytes = state == Own.PUSH_QUEUED ? 8 << 10 : 16 << 10;
    start();
    ToyApplication application = pair.right.application;
    switch (state) {
      case PUSH_QUEUED -> {
        application.submit(false, 7_000);
        application.submit(false, 7_000);
        initiator.pull();
        rsn = RSN + 1;
      }
      case PUSH_STARTED -> {
        application.submit(false, PACKETS_LONG);
        initiator.pull(WindowClass.DATA, 1, 1_000);
      }
      case PUSH_SENT -> {
        application.submit(false, SMALL);
        initiator.pull();
      }
      case PUSH_ENDED -> {
        application.submit(false, SMALL);
        application.submit(false, SMALL);
        toTarget(initiator.pull());
        pair.left.transactions.inbound().acknowledge(Integer.toUnsignedLong(RSN + 1));
        target.pull().forEach(record -> initiator.send(WindowClass.DATA, record));
        rsn = RSN + 1;
      }
      case SOLICITED_ADMITTED -> {
        application.submit(false, LARGE);
        initiator.pull(WindowClass.REQUEST, 1, 1);
      }
      case SOLICITED_ASKED, SOLICITED_GRANTED, SOLICITED_SENT -> {
        application.submit(false, LARGE);
        initiator.pull();
        if (state != Own.SOLICITED_ASKED) {
          happen(OwnEvent.GRANT);
        }
        if (state == Own.SOLICITED_SENT) {
          initiator.pull();
        }
      }
      case PULL_ADMITTED -> {
        application.submit(true, LARGE);
        initiator.pull(WindowClass.REQUEST, 1, 1);
      }
      default -> {
        application.submit(true, LARGE);
        initiator.pull();
        if (state == Own.PULL_ANSWERED) {
          answer(0, 1_000, 2_000);
        }
      }
    }
  }

  private void happen(OwnEvent event) {
    switch (event) {
      case ROOM -> {
        // The records that go into it are pulled after each event.
      }
      case GRANT -> {
        ByteBuffer record = initiator.record(PushGrantFlyweight.FIXED_LENGTH);
        new PushGrantFlyweight()
            .wrapNew(record, 0)
            .rsn(rsn)
            .ssn(settings.firstSsn)
            .offset(0)
            .grantLength(LARGE);
        initiator.send(WindowClass.DATA, record);
      }
      case COMPLETED -> {
        ByteBuffer record = initiator.record(CompletedFlyweight.FIXED_LENGTH);
        new CompletedFlyweight().wrapNew(record, 0).baseRsn(rsn + 1).creditLimit(1 << 20);
        initiator.send(WindowClass.DATA, record);
      }
      case ERROR -> {
        ByteBuffer record = initiator.record(CompleteInErrorFlyweight.FIXED_LENGTH);
        new CompleteInErrorFlyweight().wrapNew(record, 0).rsn(rsn).code(777);
        initiator.send(WindowClass.DATA, record);
      }
      case ANSWER -> {
        for (int offset = 0; offset < 2_000; offset += 1_000) {
          answer(offset, 1_000, 2_000);
        }
      }
      case CANCEL -> pair.right.transactions.cancel(Integer.toUnsignedLong(rsn));
      default -> pair.right.endAll(5, "the connection ended");
    }
  }

  private void answer(int offset, int length, int total) {
    ByteBuffer record = initiator.record(PullDataFlyweight.fixedLength(0) + length);
    PullDataFlyweight data =
        new PullDataFlyweight()
            .wrapNew(record, 0, 0)
            .rsn(rsn)
            .offset(offset)
            .total(total)
            .payloadLength(length);
    for (int i = 0; i < length; i++) {
      record.put(data.payloadOffset() + i, ToyApplication.contentAt(rsn - RSN, true, offset + i));
    }
    initiator.send(WindowClass.DATA, record);
  }

  // ------------------------------------------------------------------ target

  private String cell(Served state, ServedEvent event) {
    enter(state);
    assertThat(servedStage()).as("made %s", state).isEqualTo(state.stage);
    Set<String> parts = new LinkedHashSet<>();
    ToyApplication application = pair.left.application;
    final List<Long> before = ignored(pair.left);
    final int delivered = application.delivered;
    final int broken = application.broken;
    final int releasedBefore = released();
    happen(event);
    if (pair.left.solicitation.nextDeadlineNs() != Long.MAX_VALUE) {
      pair.left.solicitation.onTimeout(pair.nowNs);
    }
    pair.left.tellAll();
    if (application.delivered > delivered) {
      parts.add("the application gets it");
    }
    if (application.broken > broken) {
      parts.add("the application hears that it will not be whole");
    }
    if (event == ServedEvent.ROOM) {
      target.pull().forEach(record -> parts.add(RecordType.name(record.get(0))));
    }
    if (released() > releasedBefore) {
      parts.add("source released");
    }
    addRefusals(parts, pair.left, before);
    if (servedStage() != state.stage) {
      parts.add("→ " + (servedStage() == null ? "none" : servedStage()));
    }
    return parts.isEmpty() ? NOTHING : String.join("; ", parts);
  }

  private Stage servedStage() {
    Transaction t = pair.left.transactions.peers().find(rsn);
    return t == null ? null : t.stage();
  }

  private void enter(Served state) {
    settings.creditBytes = 16 << 10;
    start();
    switch (state) {
      case PUSH_PART -> {
        submit(false, PACKETS_LONG);
        take(1);
      }
      case PUSH_READY, PULL_READY -> {
        submit(false, SMALL);
        List<ByteBuffer> below = rest;
        submit(state == Served.PULL_READY, SMALL);
        rsn = RSN + 1;
        take(rest.size());
        rest = below;
      }
      case SOLICITED_LATER, SOLICITED_GRANTED -> {
        if (state == Served.SOLICITED_LATER) {
          pair.left.application.openAnswer = ToyApplication.LATER;
        }
        submit(false, LARGE);
        take(1);
        target.pull().forEach(record -> initiator.send(WindowClass.DATA, record));
        rest = initiator.pull();
      }
      case PULL_DELIVERED, PULL_ANSWERING -> {
        submit(true, LARGE);
        take(1);
        if (state == Served.PULL_ANSWERING) {
          happen(ServedEvent.RESPOND);
          target.pull(WindowClass.DATA, 3, 1_300);
        }
      }
      default -> {
        submit(false, SMALL);
        take(1);
        if (state == Served.PUSH_COMPLETED) {
          happen(ServedEvent.ACKNOWLEDGE);
        } else if (state != Served.PUSH_DELIVERED) {
          happen(ServedEvent.FAIL);
        }
        if (state == Served.FAILURE_TOLD) {
          target.pull();
        }
      }
    }
  }

  /** The peer begins one; its records wait in {@link #rest}. */
  private void submit(boolean isPull, int length) {
    pair.right.application.submit(isPull, length);
    rest = initiator.pull();
    first = rest.get(0);
  }

  /** The next records arrive. */
  private void take(int count) {
    toTarget(rest.subList(0, count));
    rest = rest.subList(count, rest.size());
  }

  private void happen(ServedEvent event) {
    long unsigned = Integer.toUnsignedLong(rsn);
    switch (event) {
      case REST -> take(rest.size());
      case AGAIN -> toTarget(List.of(first));
      case ROOM -> {
        // It is pulled below.
      }
      case ACKNOWLEDGE -> pair.left.transactions.inbound().acknowledge(unsigned);
      case FAIL -> pair.left.transactions.inbound().fail(unsigned, 777, "");
      case RESPOND ->
          pair.left.transactions.inbound().respond(unsigned, zeros(), FOREIGN, ANSWER_BYTES);
      case CANCEL -> {
        ByteBuffer record = target.record(CancelFlyweight.FIXED_LENGTH);
        new CancelFlyweight().wrapNew(record, 0).rsn(rsn);
        target.send(WindowClass.DATA, record);
      }
      case RECEIVED -> target.acknowledgeAll();
      default -> pair.left.endAll(5, "the connection ended");
    }
  }

  private PayloadSource zeros() {
    return new PayloadSource() {
      @Override
      public int copy(long handle, long offset, ByteBuffer to, int index, int length) {
        lastBytesAsked += offset + length == ANSWER_BYTES ? 1 : 0;
        return length;
      }
    };
  }

  private int released() {
    return lastBytesAsked + pair.left.application.foreignReleases;
  }

  // ------------------------------------------------------------------ both

  private void toTarget(List<ByteBuffer> records) {
    for (ByteBuffer record : records) {
      boolean isRequest =
          record.get(0) == RecordType.PUSH_SOLICITED_REQUEST
              || record.get(0) == RecordType.PULL_REQUEST;
      target.send(isRequest ? WindowClass.REQUEST : WindowClass.DATA, record);
    }
  }

  private static int rsnOf(ByteBuffer record) {
    return record.getInt(RecordFlyweight.HEADER_LENGTH);
  }

  private static List<CounterId> refusals() {
    return List.of(
        CounterId.GRANTS_IGNORED, CounterId.COMPLETED_IGNORED, CounterId.RECORDS_IGNORED);
  }

  private static List<Long> ignored(SolicitationPair.End end) {
    return refusals().stream().map(end.counters::value).toList();
  }

  private static void addRefusals(Set<String> parts, SolicitationPair.End end, List<Long> before) {
    for (int i = 0; i < before.size(); i++) {
      if (end.counters.value(refusals().get(i)) > before.get(i)) {
        parts.add(refusals().get(i).name());
      }
    }
    if (end.solicitation.failure() != null) {
      parts.add("protocol error");
    }
  }
}
