package io.rtransport.netty.node;

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.rtransport.core.connection.CloseReason;
import io.rtransport.core.node.MessageKind;
import io.rtransport.core.node.NodeHeader;
import io.rtransport.core.node.OnceTable;
import io.rtransport.netty.RtPullRequest;
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
  private static final String MAYBE_EXECUTED =
      "it may have been executed, and its end is not known";

  private final Hello self;
  private final NodeTarget application;
  private final OnceTable<Execution> once = new OnceTable<>();
  private final Map<RtConnection, String> names = new ConcurrentHashMap<>();

  Inbound(Hello self, NodeTarget application) {
    this.self = self;
    this.application = application;
  }

  @Override
  public void onPull(RtConnection connection, RtPullRequest request) {
    byte[] bytes = request.header();
    NodeHeader header = NodeHeader.read(bytes);
    if (header == null) {
      request.fail(Execution.UNKNOWN_CODE, NO_MESSAGE);
    } else if (header.kind() == MessageKind.HELLO) {
      onHello(connection, header, rest(bytes), request);
    } else if (header.kind() != MessageKind.GET || !isMeant(header) || name(connection) == null) {
      request.fail(Execution.UNKNOWN_CODE, NO_MESSAGE);
    } else {
      application.onGet(new NodeGet(name(connection), rest(bytes), request));
    }
  }

  private void onHello(
      RtConnection connection, NodeHeader header, byte[] rest, RtPullRequest request) {
    String name = Hello.name(rest);
    boolean isKnown = false;
    if (name != null) {
      synchronized (once) {
        isKnown = once.hello(header.origin(), header.id(), peerOf(connection));
      }
    }
    if (isKnown) {
      names.put(connection, name);
      request.respond(self.answer());
    } else {
      request.fail(Execution.UNKNOWN_CODE, "this node knows no more origins");
    }
  }

  /** Returns a number for the host of a peer. */
  private static long peerOf(RtConnection connection) {
    byte[] address = connection.remoteAddress().getAddress().getAddress();
    ByteBuffer bytes = ByteBuffer.allocate(16).put(address);
    return bytes.getLong(0) * 31 + bytes.getLong(Long.BYTES);
  }

  private String name(RtConnection connection) {
    return names.get(connection);
  }

  private boolean isMeant(NodeHeader header) {
    return header.target() == 0 || header.target() == self.incarnation();
  }

  private static byte[] rest(byte[] bytes) {
    return Arrays.copyOfRange(bytes, NodeHeader.LENGTH, bytes.length);
  }

  @Override
  public void onPush(RtConnection connection, InboundPush push) {
    byte[] bytes = push.header();
    NodeHeader header = NodeHeader.read(bytes);
    boolean isPut =
        header != null
            && (header.kind() == MessageKind.PUT || header.kind() == MessageKind.PUT_ACK);
    if (!isPut || name(connection) == null) {
      push.fail(Execution.UNKNOWN_CODE, NO_MESSAGE);
      return;
    }
    Execution execution = null;
    Execution running = null;
    Long result = null;
    synchronized (once) {
      OnceTable.Verdict verdict =
          isMeant(header)
              ? once.offer(header.origin(), header.id(), header.endedBelow())
              : OnceTable.Verdict.UNKNOWN;
      switch (verdict) {
        case EXECUTE -> {
          execution = new Execution(push, ended -> onEnded(header, ended));
          once.begin(header.origin(), header.id(), execution);
        }
        case JOIN -> running = once.execution(header.origin(), header.id());
        case ENDED -> result = once.result(header.origin(), header.id());
        case UNKNOWN -> {}
      }
    }
    if (execution != null) {
      execute(new NodePut(name(connection), header.kind(), rest(bytes), push.payload(), execution));
    } else if (running != null) {
      running.join(push);
    } else if (result != null) {
      Execution.answer(push, result, "");
    } else {
      push.fail(Execution.UNKNOWN_CODE, MAYBE_EXECUTED);
    }
  }

  private void onEnded(NodeHeader header, long result) {
    synchronized (once) {
      once.end(header.origin(), header.id(), result);
    }
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
  }
}
