package io.rtransport.netty.node;

import io.netty.channel.EventLoop;
import io.rtransport.core.node.MessageKind;
import io.rtransport.core.node.NodeCode;
import io.rtransport.core.node.NodeHeader;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.netty.Pull;
import io.rtransport.netty.Push;
import io.rtransport.netty.RtException;
import io.rtransport.netty.RtPullRequest;
import io.rtransport.netty.RtSink;
import io.rtransport.netty.facade.InboundPush;
import io.rtransport.netty.facade.RtConnection;
import io.rtransport.netty.internal.stat.OpenParts;
import io.rtransport.netty.internal.stat.RouterReport;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/**
 * Forwards messages for other nodes, range by range: a router keeps no message whole. It answers
 * none itself but those without a way on; ACK, REPLY and errors come from the destination. Any
 * thread.
 *
 * <p>Source: LNet Health, "PUT and GET in Routed Configuration".
 */
final class Forwarding {
  private static final String NO_WAY = "the router has no way on";
  private static final String LOST = "the router lost the next hop";

  private final String name;
  private final Set<String> origins;
  private final Map<String, NextHop> hops;
  private final Duration within;
  private final LongAdder forwarded = new LongAdder();
  private final LongAdder strangers = new LongAdder();
  private final LongAdder withoutRoute = new LongAdder();
  private final LongAdder lost = new LongAdder();
  private final LongAdder unknown = new LongAdder();
  private final AtomicLong heldBytes = new AtomicLong();
  private final AtomicLong heldBytesMax = new AtomicLong();
  private final Supplier<RouterReport> reading = this::report;

  /**
   * @param name of its node
   * @param origins names of the nodes whose messages it forwards
   * @param hops by name of the destination
   * @param within longest time of a message at its next hop
   */
  private Forwarding(String name, Set<String> origins, Map<String, NextHop> hops, Duration within) {
    this.name = name;
    this.origins = origins;
    this.hops = hops;
    this.within = within;
  }

  /**
   * Returns what a node forwards by its configuration; null if it is no router.
   *
   * @param home where it looks whether next routers answer
   */
  static Forwarding of(
      NodeConfig config, Ways.Interfaces interfaces, NodeContext node, EventLoop home) {
    if (config.forwarded().isEmpty()) {
      return null;
    }
    Map<String, NextHop> hops = new HashMap<>();
    config
        .ways(interfaces)
        .forEach((key, all) -> hops.put(key, new NextHop(node, all.get(0), home)));
    Duration within = Duration.ofNanos(node.withinNsMax());
    Forwarding made = new Forwarding(node.name(), Set.copyOf(config.forwarded()), hops, within);
    OpenParts.ROUTERS.add(made.reading);
    return made;
  }

  /** Takes it out of the state of the process: its node has ended. */
  void close() {
    OpenParts.ROUTERS.remove(reading);
  }

  private RouterReport report() {
    List<RouterReport.Hop> ways = new ArrayList<>();
    hops.forEach((destination, hop) -> ways.add(hop.report(destination)));
    return new RouterReport(
        name,
        forwarded.sum(),
        withoutRoute.sum(),
        strangers.sum(),
        lost.sum(),
        unknown.sum(),
        heldBytes.get(),
        heldBytesMax.get(),
        ways);
  }

  RouterStats stats() {
    return new RouterStats(
        forwarded.sum(),
        strangers.sum(),
        withoutRoute.sum(),
        lost.sum(),
        unknown.sum(),
        heldBytesMax.get());
  }

  /** Counts a message whose header is none. */
  void onUnknown() {
    unknown.increment();
  }

  /** Returns the next hop of a message; null, and counted, if there is none for it. */
  private NextHop hopOf(NodeHeader header) {
    if (!origins.contains(header.routing().origin())) {
      strangers.increment();
      return null;
    }
    NextHop hop = header.hopsLeft() < 1 ? null : hops.get(header.routing().destination());
    if (hop == null) {
      withoutRoute.increment();
    }
    return hop;
  }

  private static byte[] onward(NodeHeader header, byte[] bytes) {
    byte[] own = Arrays.copyOfRange(bytes, header.lengthBytes(), bytes.length);
    return header.forwarded().before(own);
  }

  // ---- pushes

  /** Returns the sink that takes a push to its next hop, puts it off, or refuses it. */
  RtSink offer(NodeHeader header, byte[] bytes, long lengthBytes) {
    NextHop hop = hopOf(header);
    if (hop == null) {
      return RtSink.refuse(NodeCode.NO_ROUTE.value());
    }
    RtSink.Later later = RtSink.later();
    NextHop.Claim claim = new NextHop.Claim(header.routing().origin(), false, lengthBytes);
    RtConnection to = null;
    switch (hop.offer(claim, later::askAgain)) {
      case WAIT -> {
        return later;
      }
      case FREE -> to = hop.connectionOrLeave(claim);
      case NONE -> {}
    }
    if (to == null) {
      withoutRoute.increment();
      return RtSink.refuse(NodeCode.NO_ROUTE.value());
    }
    return new ForwardedPush(hop, claim, to, onward(header, bytes)).relay.sink();
  }

  /** Answers a push as its next hop does. Returns false if it is none that was forwarded. */
  boolean answer(InboundPush push) {
    if (!(push.sink() instanceof Relay.Sink sink)) {
      return false;
    }
    ForwardedPush message = (ForwardedPush) sink.relay().events();
    message.end.whenComplete((nothing, failure) -> answer(push, failure));
    return true;
  }

  private void answer(InboundPush push, Throwable failure) {
    if (failure == null) {
      push.acknowledge();
    } else {
      Answer answer = answerTo(failure);
      push.fail(answer.code, answer.text);
    }
  }

  private record Answer(int code, String text) {}

  /** Returns what the hop before is told of a failure at the next hop. */
  private Answer answerTo(Throwable failure) {
    boolean isWrapped = failure instanceof CompletionException && failure.getCause() != null;
    Throwable cause = isWrapped ? failure.getCause() : failure;
    if (cause instanceof RtException e && e.outcome() == Outcome.FAILED && !e.isFromTransport()) {
      return new Answer(e.code(), AttemptFailure.textOf(e));
    }
    if (AttemptFailure.isSurelyNotExecuted(cause)) {
      withoutRoute.increment();
      return new Answer(NodeCode.NO_ROUTE.value(), NO_WAY);
    }
    lost.increment();
    return new Answer(NodeCode.LOST.value(), LOST);
  }

  private void onHeld(long bytes) {
    long now = heldBytes.addAndGet(bytes);
    if (bytes > 0) {
      heldBytesMax.accumulateAndGet(now, Math::max);
    }
  }

  /** One push on its way. */
  private final class ForwardedPush implements Relay.Events, NextHop.Passing {
    final Relay relay = new Relay(this);
    final CompletableFuture<Void> end = new CompletableFuture<>();
    private final NextHop hop;
    private final NextHop.Claim claim;
    private final Push push;

    ForwardedPush(NextHop hop, NextHop.Claim claim, RtConnection to, byte[] header) {
      this.hop = hop;
      this.claim = claim;
      push = new Push(relay.payload(claim.lengthBytes()), header).deadline(within);
      forwarded.increment();
      hop.onSent(to, this);
      to.push(push).whenComplete((nothing, failure) -> end(failure));
    }

    private void end(Throwable failure) {
      hop.onEnded(this);
      if (failure == null) {
        end.complete(null);
      } else if (end.completeExceptionally(failure)) {
        relay.fail(LOST);
      }
    }

    @Override
    public void giveUp() {
      end(new IOException(LOST));
      push.cancel();
    }

    @Override
    public void onBegin(long length) {}

    @Override
    public void onAborted() {
      push.cancel();
    }

    @Override
    public void onPassed(boolean isWhole) {
      hop.leave(claim);
    }

    @Override
    public void onHeld(long bytes) {
      Forwarding.this.onHeld(bytes);
    }
  }

  // ---- pulls

  /** Sends a pull on, and its answer back. */
  void pull(NodeHeader header, byte[] bytes, RtPullRequest request) {
    NextHop hop = hopOf(header);
    if (hop == null) {
      request.fail(NodeCode.NO_ROUTE.value(), NO_WAY);
    } else {
      pull(hop, header, onward(header, bytes), request);
    }
  }

  private void pull(NextHop hop, NodeHeader header, byte[] bytes, RtPullRequest request) {
    NextHop.Claim claim =
        new NextHop.Claim(header.routing().origin(), true, request.lengthBytesMax());
    RtConnection to = null;
    switch (hop.offer(claim, () -> pull(hop, header, bytes, request))) {
      case WAIT -> {
        return;
      }
      case FREE -> to = hop.connectionOrLeave(claim);
      case NONE -> {}
    }
    if (to == null) {
      withoutRoute.increment();
      request.fail(NodeCode.NO_ROUTE.value(), NO_WAY);
    } else {
      new ForwardedPull(hop, claim, request, header).begin(to, bytes);
    }
  }

  /** One pull on its way. */
  private final class ForwardedPull implements Relay.Events, NextHop.Passing {
    private final Relay relay = new Relay(this);
    private final NextHop hop;
    private final NextHop.Claim claim;
    private final RtPullRequest request;
    private final boolean isRepeatable;
    private final AtomicBoolean hasEnded = new AtomicBoolean();
    private volatile boolean hasBegun;
    private Pull pull;

    ForwardedPull(NextHop hop, NextHop.Claim claim, RtPullRequest request, NodeHeader header) {
      this.hop = hop;
      this.claim = claim;
      this.request = request;
      this.isRepeatable = header.isRepeatable() || header.kind() == MessageKind.HELLO;
    }

    void begin(RtConnection to, byte[] header) {
      pull = Pull.into(relay.sink(), header, request.lengthBytesMax()).deadline(within);
      forwarded.increment();
      hop.onSent(to, this);
      to.pull(pull).whenComplete((nothing, failure) -> end(failure));
    }

    private void end(Throwable failure) {
      if (leave() && failure != null) {
        onFailed(failure);
      }
    }

    /** Gives its room back. Returns whether this call did. */
    private boolean leave() {
      if (!hasEnded.compareAndSet(false, true)) {
        return false;
      }
      hop.onEnded(this);
      hop.leave(claim);
      return true;
    }

    @Override
    public void giveUp() {
      if (isRepeatable && !hasBegun) {
        end(new IOException(LOST));
        pull.cancel();
      }
    }

    /** An answer that has begun cannot be taken back: then its connection is aborted. */
    private void onFailed(Throwable failure) {
      Answer answer = answerTo(failure);
      if (!request.fail(answer.code, answer.text)) {
        relay.fail(LOST);
      }
    }

    @Override
    public void onBegin(long lengthBytes) {
      hasBegun = true;
      request.respond(relay.payload(lengthBytes));
    }

    @Override
    public void onAborted() {}

    /** The hop before may be gone in the middle of the answer: nobody needs the rest. */
    @Override
    public void onPassed(boolean isWhole) {
      if (!isWhole && leave()) {
        pull.cancel();
      }
    }

    @Override
    public void onHeld(long bytes) {
      Forwarding.this.onHeld(bytes);
    }
  }
}
