package io.rtransport.netty.node;

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.rtransport.core.node.MessageKind;
import io.rtransport.core.node.NodeCode;
import io.rtransport.core.node.NodeHeader;
import io.rtransport.core.node.OnceTable;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.netty.RtPullRequest;
import io.rtransport.netty.RtSink;
import io.rtransport.netty.facade.InboundPush;
import io.rtransport.netty.facade.RtConnection;
import io.rtransport.netty.facade.RtTarget;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Messages of other nodes: each is given to the application once. Connections of several event
 * loops share it, so the table is used under a lock. Any thread.
 */
final class Inbound implements RtTarget {
  private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(Inbound.class);
  private static final String NO_MESSAGE = "not a message of a node";
  private static final String NO_ROUTER = "this node is no router";
  private static final String ANOTHER = "it is for a former life of this node";
  private static final String LATE_HELLO = "its origin may have been forgotten since it said HELLO";
  private static final String MAYBE_EXECUTED =
      "it may have been executed, and its end is not known";

  /** Who is at the other end of a connection, as it has said. */
  private record Known(long origin, String name) {}

  private final Hello self;
  private final NodeTarget application;
  private final UntakenBytes untaken;
  private final Forwarding forwarding; // null: this node is no router
  private final OnceTable<Execution> once = new OnceTable<>(Hello.draw());
  private final Map<RtConnection, Known> names = new ConcurrentHashMap<>();

  /**
   * @param untakenBytesMax bound of the {@link UntakenBytes}
   * @param forwarding takes messages for other nodes; null: they are refused
   */
  Inbound(Hello self, NodeTarget application, long untakenBytesMax, Forwarding forwarding) {
    this.self = self;
    this.application = application;
    this.untaken = new UntakenBytes(untakenBytesMax);
    this.forwarding = forwarding;
  }

  /** Returns whether a message is for another node. */
  private boolean isForAnother(NodeHeader header) {
    return header.routing() != null && !header.routing().destination().equals(self.name());
  }

  private void countUnknown() {
    if (forwarding != null) {
      forwarding.onUnknown();
    }
  }

  @Override
  public RtSink onOffer(RtConnection connection, long lengthBytes, byte[] bytes) {
    NodeHeader header = NodeHeader.read(bytes);
    if (!isPut(header)) {
      return null;
    }
    if (isForAnother(header)) {
      return forwarding == null ? null : forwarding.offer(header, bytes, lengthBytes);
    }
    return lengthBytes > PutSink.LENGTH_MAX ? null : offer(connection, (int) lengthBytes);
  }

  long untakenBytes() {
    return untaken.bytes();
  }

  private static boolean isPut(NodeHeader header) {
    return header != null
        && (header.kind() == MessageKind.PUT || header.kind() == MessageKind.PUT_ACK);
  }

  private RtSink offer(RtConnection connection, int lengthBytes) {
    long host = peerOf(connection);
    RtSink.Later later = RtSink.later();
    return switch (untaken.take(host, lengthBytes, connection, later::askAgain)) {
      case FREE -> new PutSink(untaken, host, lengthBytes);
      case WAIT -> later;
      case NONE -> RtSink.refuse(NodeCode.NO_ROOM.value());
    };
  }

  @Override
  public void onPull(RtConnection connection, RtPullRequest request) {
    byte[] bytes = request.header();
    NodeHeader header = NodeHeader.read(bytes);
    if (header == null) {
      countUnknown();
      request.fail(Execution.UNKNOWN_CODE, NO_MESSAGE);
    } else if (isForAnother(header)) {
      onOthersPull(header, bytes, request);
    } else if (header.kind() == MessageKind.HELLO) {
      onHello(connection, header, rest(header, bytes), request);
    } else if (isOfAnotherTime(header)) {
      request.fail(NodeCode.NO_ROUTE.value(), ANOTHER);
    } else if (header.kind() == MessageKind.GET && isTaken(connection, header)) {
      execute(request, new NodeGet(nameOf(connection, header), rest(header, bytes), request));
    } else {
      request.fail(Execution.UNKNOWN_CODE, NO_MESSAGE);
    }
  }

  private void onOthersPull(NodeHeader header, byte[] bytes, RtPullRequest request) {
    boolean isPull = header.kind() == MessageKind.HELLO || header.kind() == MessageKind.GET;
    if (forwarding == null) {
      request.fail(NodeCode.NO_ROUTE.value(), NO_ROUTER);
    } else if (isPull) {
      forwarding.pull(header, bytes, request);
    } else {
      forwarding.onUnknown();
      request.fail(Execution.UNKNOWN_CODE, NO_MESSAGE);
    }
  }

  /**
   * Answers who this node is. The origin is known once it has asked this very incarnation: before
   * that it cannot say which of its ids are new here.
   */
  private void onHello(
      RtConnection connection, NodeHeader header, byte[] rest, RtPullRequest request) {
    boolean isToKnow = header.target() == self.incarnation();
    int markLength = header.target() == 0 ? 0 : Long.BYTES;
    String name =
        rest.length < markLength
            ? null
            : Hello.name(Arrays.copyOfRange(rest, markLength, rest.length));
    if (name == null) {
      request.fail(Execution.UNKNOWN_CODE, NO_MESSAGE);
      return;
    }
    boolean isInTime = true;
    long mark;
    synchronized (once) {
      if (isToKnow) {
        long saidAt = ByteBuffer.wrap(rest).getLong();
        isInTime = once.hello(header.origin(), header.id(), peerOf(connection), saidAt);
      }
      mark = once.mark();
    }
    if (!isInTime) {
      request.fail(Execution.UNKNOWN_CODE, LATE_HELLO);
      return;
    }
    if (isToKnow && header.routing() == null) {
      names.put(connection, new Known(header.origin(), name));
    }
    request.respond(self.at(mark).answer());
  }

  /** Returns a number for the host of a peer; of IPv6 for its network of 64 bits. */
  private static long peerOf(RtConnection connection) {
    byte[] address = connection.remoteAddress().getAddress().getAddress();
    return ByteBuffer.allocate(16).put(address).getLong(0);
  }

  private void execute(RtPullRequest request, NodeGet get) {
    try {
      application.onGet(get);
    } catch (RuntimeException | Error e) {
      LOGGER.warn("a callback threw over a message of {}", get.from(), e);
      request.fail(Execution.THREW_CODE, Execution.THREW);
    }
  }

  /**
   * Returns whether a message is of the origin that its connection is known for, and meant here. A
   * router's connection has many origins: one has said HELLO, or does not know its incarnation's
   * number, which is drawn at random.
   */
  private boolean isTaken(RtConnection connection, NodeHeader header) {
    if (header.routing() != null) {
      synchronized (once) {
        return once.isKnown(header.origin()) && isMeant(header);
      }
    }
    Known known = names.get(connection);
    return known != null && known.origin() == header.origin() && isMeant(header);
  }

  private boolean isMeant(NodeHeader header) {
    return header.target() == 0 || header.target() == self.incarnation();
  }

  /**
   * Returns whether a router's message is for a former life of this node. This one surely does not
   * execute it; its origin is to say HELLO again.
   */
  private boolean isOfAnotherTime(NodeHeader header) {
    return header.routing() != null && !isMeant(header);
  }

  private String nameOf(RtConnection connection, NodeHeader header) {
    return header.routing() == null ? names.get(connection).name() : header.routing().origin();
  }

  private static byte[] rest(NodeHeader header, byte[] bytes) {
    return Arrays.copyOfRange(bytes, header.lengthBytes(), bytes.length);
  }

  @Override
  public void onPush(RtConnection connection, InboundPush push) {
    if (forwarding != null && forwarding.answer(push)) {
      return;
    }
    PutSink sink = push.sink() instanceof PutSink of ? of : null;
    byte[] payload = sink == null ? push.payload() : sink.takeBytes();
    Runnable giveRoom = sink == null ? () -> {} : sink::giveRoom;
    boolean isBegun = false;
    try {
      isBegun = begin(connection, push, payload, giveRoom);
    } finally {
      if (!isBegun) {
        giveRoom.run();
      }
    }
  }

  /**
   * Answers a push, or begins its execution.
   *
   * @param onEnd told when the execution has ended
   * @return whether it executes, and tells {@code onEnd}
   */
  private boolean begin(RtConnection connection, InboundPush push, byte[] payload, Runnable onEnd) {
    byte[] bytes = push.header();
    NodeHeader header = NodeHeader.read(bytes);
    if (header != null && (isForAnother(header) || isOfAnotherTime(header))) {
      push.fail(NodeCode.NO_ROUTE.value(), isForAnother(header) ? NO_ROUTER : ANOTHER);
      return false;
    }
    if (!isPut(header) || !isTaken(connection, header)) {
      countUnknown();
      push.fail(Execution.UNKNOWN_CODE, NO_MESSAGE);
      return false;
    }
    Execution execution = null;
    Execution running = null;
    Long result = null;
    synchronized (once) {
      switch (once.offer(header.origin(), header.id(), header.endedBelow())) {
        case EXECUTE -> {
          execution = new Execution(push, ended -> onEnded(header, ended, onEnd));
          once.begin(header.origin(), header.id(), execution);
        }
        case JOIN -> running = once.execution(header.origin(), header.id());
        case ENDED -> result = once.result(header.origin(), header.id());
        case UNKNOWN -> {}
      }
    }
    if (execution != null) {
      execute(
          new NodePut(
              nameOf(connection, header), header.kind(), rest(header, bytes), payload, execution));
    } else if (running != null) {
      running.join(push);
    } else if (result != null) {
      Execution.answer(push, result, "");
    } else {
      push.fail(Execution.UNKNOWN_CODE, MAYBE_EXECUTED);
    }
    return execution != null;
  }

  private void onEnded(NodeHeader header, long result, Runnable then) {
    synchronized (once) {
      once.end(header.origin(), header.id(), result);
    }
    then.run();
  }

  private void execute(NodePut put) {
    if (!put.wantsAnswer()) {
      put.acknowledge();
    }
    try {
      application.onPut(put);
    } catch (RuntimeException | Error e) {
      LOGGER.warn("a callback threw over a message of {}", put.from(), e);
      put.broke();
    }
  }

  @Override
  public void onClose(RtConnection connection, CloseReason reason) {
    names.remove(connection);
    untaken.forget(connection);
  }
}
