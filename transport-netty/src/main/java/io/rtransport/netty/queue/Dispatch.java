package io.rtransport.netty.queue;

import io.netty.buffer.ByteBuf;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.queue.Completion;
import io.rtransport.core.queue.CompletionQueue;
import io.rtransport.core.queue.InboundBytes;
import io.rtransport.core.queue.QueueHandler;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Gives the application what the core's queues hand over: finds the connection of each entry, its
 * bytes, and sees that each message and request gets one answer. Confined to the consumer's thread.
 */
final class Dispatch implements QueueHandler {
  private static final RtQueueRailEvent[] RAIL_EVENTS = RtQueueRailEvent.values();
  private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(Dispatch.class);

  private final RtQueueConnection[][] connections;
  private final RtQueueEntry view = new RtQueueEntry();
  private final List<RtQueueConnection> touched = new ArrayList<>();
  private final List<RtQueueConnection> ended = new ArrayList<>();
  private RtQueueHandler handler;
  private int arrivals;

  Dispatch(int loops, int connectionsMax) {
    connections = new RtQueueConnection[loops][connectionsMax];
  }

  void add(RtQueueConnection connection) {
    CompletionQueue queue = connection.rings.completions;
    connections[queue.eventQueue()][queue.slot()] = connection;
  }

  void remove(RtQueueConnection connection) {
    CompletionQueue queue = connection.rings.completions;
    connections[queue.eventQueue()][queue.slot()] = null;
  }

  /** Sets who is given what comes; null after the poll. */
  void handler(RtQueueHandler next) {
    handler = next;
  }

  RtQueueHandler handler() {
    return handler;
  }

  /** Returns the connections that have ended and are not removed. */
  List<RtQueueConnection> ended() {
    return ended;
  }

  /** Returns whether connections were accepted since the last call. */
  boolean takeArrivals() {
    boolean isAny = arrivals > 0;
    arrivals = 0;
    return isAny;
  }

  /** Has the loops take the answers of this poll. */
  void ringAll() {
    for (int i = 0; i < touched.size(); i++) {
      touched.get(i).endPoll();
    }
    touched.clear();
  }

  @Override
  public void onCompletion(Completion completion) {
    RtQueueConnection connection = connections[completion.eventQueue()][completion.slot()];
    view.connection = connection;
    if (!completion.isInbound()) {
      onEnd(connection, completion);
      return;
    }
    tellOpen(connection);
    if (!connection.isTouched) {
      connection.isTouched = true;
      touched.add(connection);
    }
    if (completion.opcode() == ConnectionRings.END) {
      tell(connection, () -> handler.onPeerFinished(connection));
      connection.answer(ConnectionRings.HEARD, 0, 0, null);
      return;
    }
    view.isAnswered = false;
    view.bytes = completion.bytes();
    view.headerLength = completion.code();
    if (completion.opcode() == ConnectionRings.LENT_MESSAGE) {
      onLent(connection, completion);
    } else {
      onCopied(connection, completion);
    }
  }

  private void onEnd(RtQueueConnection connection, Completion completion) {
    view.connection = connection;
    view.tag = completion.tag();
    view.isPull = completion.opcode() == ConnectionRings.PULL_ENDED;
    view.status = completion.status();
    view.code = completion.code();
    if (view.outcome() != Outcome.NOT_EXECUTED) {
      tellOpen(connection);
    }
    boolean hasText = (view.status & ConnectionRings.HAS_TEXT) != 0;
    view.text = hasText ? connection.rings.texts.poll() : ConnectionRings.textOf(view.code);
    view.length = (int) completion.bytes();
    view.offset = 0;
    view.headerLength = 0;
    view.isAnswered = true;
    int number = completion.rsn();
    ByteBuf answer = number == ConnectionRings.NO_BUFFER ? null : connection.rings.pulled[number];
    view.buffer = answer == null ? null : answer.nioBuffer(0, view.length).asReadOnlyBuffer();
    try {
      handler.onCompletion(view);
    } catch (RuntimeException e) {
      log(connection, e);
    } finally {
      view.buffer = null;
      if (answer != null) {
        connection.rings.pulled[number] = null;
        answer.release();
      }
    }
  }

  private void onLent(RtQueueConnection connection, Completion completion) {
    int slot = (int) completion.tag();
    ByteBuf buffer = connection.rings.lent[slot];
    view.id = (long) (slot + 1) << Integer.SIZE | completion.rsn() & 0xFFFF_FFFFL;
    view.buffer = buffer.nioBuffer(0, buffer.writerIndex()).asReadOnlyBuffer();
    view.headerOffset = 0;
    view.offset = view.headerLength;
    view.length = (int) completion.bytes();
    onInbound(connection, false);
  }

  private void onCopied(RtQueueConnection connection, Completion completion) {
    long place = completion.tag();
    boolean isRequest = completion.opcode() == ConnectionRings.REQUEST;
    long rsn = completion.rsn() & 0xFFFF_FFFFL;
    view.id = isRequest ? RtQueueConnection.idOfRequest(rsn) : rsn;
    view.buffer = connection.inboundView;
    view.headerOffset = InboundBytes.offsetOf(place);
    view.offset = view.headerOffset + view.headerLength;
    view.length = isRequest ? 0 : (int) completion.bytes();
    try {
      onInbound(connection, isRequest);
    } finally {
      connection.rings.inbound.free(place);
    }
  }

  private void onInbound(RtQueueConnection connection, boolean isRequest) {
    boolean isTaken = false;
    try {
      if (isRequest) {
        handler.onRequest(view);
      } else {
        handler.onMessage(view);
        isTaken = true;
      }
    } catch (RuntimeException e) {
      log(connection, e);
    } finally {
      view.buffer = null;
      if (!view.isAnswered) {
        view.isAnswered = true; // a handler may have kept the view
        if (isTaken) {
          connection.acknowledgeInPoll(view.id);
        } else {
          connection.answer(ConnectionRings.BREAK, view.id, 0, null);
        }
      }
    }
  }

  private static void log(RtQueueConnection connection, RuntimeException failure) {
    if (!connection.isFailureLogged) {
      connection.isFailureLogged = true;
      LOGGER.warn(
          "a handler of queues threw; later ones of this connection are not logged", failure);
    }
  }

  @Override
  public void onEvent(int eventQueue, long value) {
    arrivals++;
  }

  @Override
  public void onLinkEvent(int eventQueue, int subject, int kinds, int lastKind, int lastCode) {
    int connectionsMax = connections[eventQueue].length;
    if (subject >= connectionsMax) {
      onRail(eventQueue, subject - connectionsMax, kinds, lastKind, lastCode);
      return;
    }
    RtQueueConnection connection = connections[eventQueue][subject];
    if ((kinds & 1 << QueueLink.OPENED) != 0) {
      tellOpen(connection);
    }
    connection.isFinishUntold |= (kinds & 1 << QueueLink.FINISHED) != 0;
    if ((kinds & 1 << QueueLink.CLOSED) != 0) {
      ended.add(connection);
    }
  }

  private void onRail(int eventQueue, int subject, int kinds, int lastKind, int generation) {
    int rail = subject % LinkRails.RAILS_MAX;
    RtQueueConnection connection = connections[eventQueue][subject / LinkRails.RAILS_MAX];
    if (connection == null || connection.rings.completions.generation() != generation) {
      return; // it has ended and was removed
    }
    Set<RtQueueRailEvent> all = EnumSet.noneOf(RtQueueRailEvent.class);
    for (int rest = kinds; rest != 0; rest &= rest - 1) {
      all.add(RAIL_EVENTS[Integer.numberOfTrailingZeros(rest)]);
    }
    tellOpen(connection);
    tell(connection, () -> handler.onRail(connection, rail, RAIL_EVENTS[lastKind], all));
  }

  /**
   * Tells that a connection is set up, once and before all else of it: link events may be polled
   * after entries that came later.
   */
  void tellOpen(RtQueueConnection connection) {
    if (!connection.isOpenTold) {
      connection.isOpenTold = true;
      tell(connection, () -> handler.onOpen(connection));
    }
  }

  /** Calls the handler over something that needs no answer. */
  void tell(RtQueueConnection connection, Runnable call) {
    try {
      call.run();
    } catch (RuntimeException e) {
      log(connection, e);
    }
  }
}
