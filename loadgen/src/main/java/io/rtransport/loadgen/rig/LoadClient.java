package io.rtransport.loadgen.rig;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.util.concurrent.Future;
import io.rtransport.command.CommandFailure;
import io.rtransport.loadgen.transceiver.Transceiver;
import io.rtransport.loadgen.transceiver.Transceivers;
import io.rtransport.loadgen.workload.Lane;
import io.rtransport.loadgen.workload.LaneDriver;
import io.rtransport.loadgen.workload.LatencyCourse;
import io.rtransport.loadgen.workload.LatencyRecorder;
import io.rtransport.loadgen.workload.Session;
import io.rtransport.loadgen.workload.Wakeups;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Sending side of a run: its event loops, each with a driver and its share of the connections. Used
 * by one thread that is not a loop's.
 */
public final class LoadClient implements AutoCloseable {
  private static final long CONNECT_SECONDS_MAX = 10;

  /** Most handshakes at a time: far below the number that a server takes for a flood. */
  private static final int CONNECTING_MAX = 64;

  /** One event loop with its driver and recorder. */
  public record Part(EventLoop loop, LaneDriver driver, LatencyRecorder recorder) {}

  private final LoadOptions options;
  private final EventLoopGroup loops;
  private final Transceiver transceiver;
  private final List<Part> parts = new ArrayList<>();

  LoadClient(LoadOptions options) {
    this.options = options;
    int threads = Math.min(options.threads(), options.connections());
    transceiver = Transceivers.create(options.transport(), options.settings());
    loops = transceiver.loops(threads);
    for (int i = 0; i < threads; i++) {
      EventLoop loop = loops.next();
      LatencyRecorder recorder =
          new LatencyRecorder(options.rails().isKilled() ? new LatencyCourse() : null);
      parts.add(
          new Part(
              loop,
              new LaneDriver(options.plan(threads), System::nanoTime, onLoop(loop), recorder),
              recorder));
    }
  }

  private static Wakeups onLoop(EventLoop loop) {
    return new Wakeups() {
      @Override
      public void at(long timeNs, Runnable task) {
        loop.schedule(task, Math.max(0, timeNs - System.nanoTime()), TimeUnit.NANOSECONDS);
      }

      @Override
      public void soon(Runnable task) {
        // A task that a task executes runs in the same round of the loop, up to 100 ms long, before
        // any socket is read.
        if (loop instanceof SingleThreadEventLoop rounds && rounds.inEventLoop()) {
          rounds.executeAfterEventLoopIteration(() -> rounds.execute(task));
        } else {
          loop.execute(task);
        }
      }
    };
  }

  /** A connection during its set-up. */
  private record Connecting(Part part, Lane lane, Future<Session> future) {}

  /**
   * Opens all connections, some at a time. Waits at most 10 s for any of them.
   *
   * @param targets the server's address on each rail
   */
  void connect(List<InetSocketAddress> targets, List<Integer> sidePorts) throws Exception {
    InetSocketAddress to = targets.get(0);
    transceiver.useSidePorts(sidePorts);
    ArrayDeque<Connecting> pending = new ArrayDeque<>();
    for (int i = 0; i < options.connections(); i++) {
      if (pending.size() == CONNECTING_MAX) {
        attach(pending.poll(), to);
      }
      Part part = parts.get(i % parts.size());
      Lane lane = part.driver.addLane(i);
      pending.add(new Connecting(part, lane, transceiver.connect(part.loop, targets, i, lane)));
    }
    while (!pending.isEmpty()) {
      attach(pending.poll(), to);
    }
    for (Part part : parts) {
      part.loop.submit(() -> {}).get(); // after the last of its lanes
    }
  }

  private static void attach(Connecting one, InetSocketAddress to) throws Exception {
    if (!one.future.await(CONNECT_SECONDS_MAX, TimeUnit.SECONDS)) {
      throw new CommandFailure("no connection to " + to + " within " + CONNECT_SECONDS_MAX + " s");
    }
    if (!one.future.isSuccess()) {
      throw new CommandFailure("no connection to " + to + ": " + one.future.cause().getMessage());
    }
    one.part.loop.execute(() -> one.lane.attach(one.future.getNow()));
  }

  void start(long startNs, long measureNs, long endNs) {
    for (Part part : parts) {
      part.loop.execute(() -> part.driver.start(startNs, measureNs, endNs));
    }
  }

  /** Begins a warm-up of no fixed length. */
  void startWarmUp(long startNs) {
    for (Part part : parts) {
      part.loop.execute(() -> part.driver.startWarmUp(startNs));
    }
  }

  /** Returns the finished seconds of such a warm-up, for each part. */
  List<List<LatencyRecorder.Interval>> warmUpSeconds() throws Exception {
    List<List<LatencyRecorder.Interval>> seconds = new ArrayList<>();
    for (Part part : parts) {
      seconds.add(part.loop.submit(part.driver::warmUpSeconds).get());
    }
    return seconds;
  }

  /** Ends such a warm-up. */
  void measure(long measureNs, long endNs) {
    for (Part part : parts) {
      part.loop.execute(() -> part.driver.measure(measureNs, endNs));
    }
  }

  void stop(long nowNs) throws Exception {
    for (Part part : parts) {
      part.loop.submit(() -> part.driver.stop(nowNs)).get();
    }
  }

  /** Returns the messages that a drain still waits for. */
  long outstanding() throws Exception {
    long sum = 0;
    for (Part part : parts) {
      sum += part.loop.submit(part.driver::outstanding).get();
    }
    return sum;
  }

  /** Returns the messages sent so far, for the progress line. */
  long sent() throws Exception {
    long sum = 0;
    for (Part part : parts) {
      sum += part.loop.submit(part.driver::sentTotal).get();
    }
    return sum;
  }

  /** Ends the sending of all parts. Then they are quiet, and their numbers may be read here. */
  void abandon(long nowNs) throws Exception {
    for (Part part : parts) {
      part.loop.submit(() -> part.driver.abandon(nowNs)).get();
    }
  }

  /** Returns the completed messages of the measured time, when the parts are quiet. */
  long completedMeasured() {
    return parts.stream().mapToLong(part -> part.driver().completedMeasured()).sum();
  }

  List<Part> parts() {
    return parts;
  }

  Transceiver transceiver() {
    return transceiver;
  }

  @Override
  public void close() throws Exception {
    transceiver.close();
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).await(2, TimeUnit.SECONDS);
  }
}
