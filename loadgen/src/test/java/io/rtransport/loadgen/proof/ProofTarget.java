package io.rtransport.loadgen.proof;

import io.rtransport.core.json.Json;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.loadgen.rig.ProcessProbe;
import io.rtransport.netty.RtPullRequest;
import io.rtransport.netty.RtSink;
import io.rtransport.netty.facade.InboundPush;
import io.rtransport.netty.facade.RtConnection;
import io.rtransport.netty.facade.RtEndpoint;
import io.rtransport.netty.facade.RtListener;
import io.rtransport.netty.facade.RtTarget;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The target of the proofs, a process of its own: takes {@link ProofMessage}s, answers pulls with
 * them, and keeps count of everything that must not be. Says its port on the first line; then
 * answers each line {@code report} by one of JSON, until its input ends.
 */
public final class ProofTarget implements RtTarget {
  private final long life;
  private final Map<RtConnection, Map<Long, Received>> connections = new ConcurrentHashMap<>();
  private final AtomicLong accepted = new AtomicLong();
  private final AtomicLong closed = new AtomicLong();
  private final AtomicLong delivered = new AtomicLong();
  private final AtomicLong pulled = new AtomicLong();
  private final AtomicLong filesOpen = new AtomicLong();
  private final AtomicLong filesTaken = new AtomicLong();
  private final AtomicLong foreign = new AtomicLong();
  private final AtomicLong duplicated = new AtomicLong();
  private final AtomicLong disordered = new AtomicLong();
  private final AtomicLong corrupted = new AtomicLong();
  private final Map<String, AtomicLong> ends = new ConcurrentHashMap<>();

  /** What came of one stream on one connection; confined to that connection's loop. */
  private static final class Received {
    private final BitSet sequences = new BitSet();
    private long last = -1;
  }

  private ProofTarget(long life) {
    this.life = life;
  }

  /** Arguments: port (0 picks one), this process's life, {@link ProofSettings}. */
  public static void main(String[] arguments) throws Exception {
    Leaks leaks = Leaks.watch();
    ProofTarget target = new ProofTarget(Long.parseLong(arguments[1]));
    InetSocketAddress at =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]));
    ConnectionConfig handshake = ProofSettings.handshake(arguments[2]);
    try (RtEndpoint endpoint = RtEndpoint.builder().handshake(handshake).open()) {
      RtListener listener = endpoint.listen(at, target).join();
      System.out.println(listener.localAddress().getPort());
      BufferedReader in =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        System.out.println(Json.write(target.report(leaks)));
      }
    }
  }

  @Override
  public void onConnect(RtConnection connection) {
    accepted.incrementAndGet();
    connections.put(connection, new HashMap<>());
  }

  /** What comes from a file goes to a file. */
  @Override
  public RtSink onOffer(RtConnection connection, long lengthBytes, byte[] header) {
    return ProofMessage.of(header).content() == ProofMessage.FILE
        ? new ProofSink((int) lengthBytes, filesOpen)
        : null;
  }

  @Override
  public void onPush(RtConnection connection, InboundPush push) {
    ProofMessage message = ProofMessage.of(push.header());
    note(connection, message);
    boolean isFile = push.sink() instanceof ProofSink;
    byte[] payload = isFile ? ((ProofSink) push.sink()).take() : push.payload();
    filesTaken.addAndGet(isFile ? 1 : 0);
    if (!Arrays.equals(message.payload((int) push.lengthBytes()), payload)) {
      corrupted.incrementAndGet();
    }
    delivered.incrementAndGet();
    if (message.isToFail()) {
      push.fail(ProofMessage.FAILURE_CODE, "as it asked for");
    } else {
      push.acknowledge();
    }
  }

  @Override
  public void onPull(RtConnection connection, RtPullRequest request) {
    ProofMessage message = ProofMessage.of(request.header());
    note(connection, message);
    pulled.incrementAndGet();
    if (message.isToFail()) {
      request.fail(ProofMessage.FAILURE_CODE, "as it asked for");
    } else {
      request.respond(message.payload((int) request.lengthBytesMax()));
    }
  }

  private void note(RtConnection connection, ProofMessage message) {
    if (message.life() != life) {
      foreign.incrementAndGet();
    }
    Received received =
        connections.get(connection).computeIfAbsent(message.stream(), stream -> new Received());
    int sequence = (int) message.sequence();
    if (received.sequences.get(sequence)) {
      duplicated.incrementAndGet();
    }
    received.sequences.set(sequence);
    if (sequence < received.last && connection.channel().agreed().isOrdered()) {
      disordered.incrementAndGet();
    }
    received.last = sequence;
  }

  @Override
  public void onClose(RtConnection connection, CloseReason reason) {
    ends.computeIfAbsent(reason.toString(), name -> new AtomicLong()).incrementAndGet();
    connections.remove(connection);
    closed.incrementAndGet();
  }

  private Map<String, Object> report(Leaks leaks) {
    Map<String, Object> report = new LinkedHashMap<>();
    report.put("leaks", leaks.found());
    report.put("accepted", accepted.get());
    report.put("closed", closed.get());
    report.put("delivered", delivered.get());
    report.put("pulled", pulled.get());
    report.put("filesOpen", filesOpen.get());
    report.put("filesTaken", filesTaken.get());
    report.put("foreign", foreign.get());
    report.put("duplicated", duplicated.get());
    report.put("disordered", disordered.get());
    report.put("corrupted", corrupted.get());
    Map<String, Object> reasons = new LinkedHashMap<>();
    ends.forEach((reason, count) -> reasons.put(reason, count.get()));
    report.put("ends", reasons);
    report.put("heapBytes", ProcessProbe.heapUsedBytes());
    report.put("directBytes", ProcessProbe.directBytes());
    return report;
  }
}
