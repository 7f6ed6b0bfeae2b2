package io.rtransport.demo.initiator;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOption;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.text.HostPort;
import io.rtransport.demo.protocol.RequestHeader;
import io.rtransport.demo.socket.Hosts;
import io.rtransport.demo.store.Checksum;
import io.rtransport.netty.RtChannel;
import io.rtransport.netty.queue.RtQueueConfig;
import io.rtransport.netty.queue.RtQueueConnection;
import io.rtransport.netty.queue.RtQueueCounter;
import io.rtransport.netty.queue.RtQueueEntry;
import io.rtransport.netty.queue.RtQueueHandler;
import io.rtransport.netty.queue.RtQueues;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongUnaryOperator;

/**
 * A connection to a target through RT's queues. The callers' threads post, and one thread polls the
 * ends of what they posted. Queues have whole messages, so each file is in memory once.
 */
public final class QueueInitiator implements TargetConnection {
  /** Longest file, bytes. */
  public static final int FILE_BYTES_MAX = 64 << 20;

  private static final long CLOSE_MILLIS_MAX = 3_000;
  private static final Duration TURN = Duration.ofSeconds(1);
  private static final int LIMIT = 256;

  /** Reads the end of a request, on the thread that polls. */
  private interface Reader<T> {
    T read(RtQueueEntry end) throws IOException;
  }

  private record Request<T>(Reader<T> reader, CompletableFuture<T> end) {
    void onEnd(RtQueueEntry entry) {
      try {
        if (entry.outcome() == Outcome.COMPLETED) {
          end.complete(reader.read(entry));
        } else {
          end.completeExceptionally(
              RequestException.of(entry.outcome(), entry.isFromTransport(), entry.code()));
        }
      } catch (IOException e) {
        end.completeExceptionally(e);
      }
    }
  }

  private final RtQueues queues;
  private final Thread consumer;
  private final CompletableFuture<RtQueueConnection> opened = new CompletableFuture<>();
  private final Map<Long, Request<?>> requests = new ConcurrentHashMap<>();
  private final AtomicLong tags = new AtomicLong();
  private final LongAdder refused = new LongAdder();
  private volatile RtChannel channel;
  private volatile boolean isEnding;

  private QueueInitiator(InetSocketAddress target, Consumer<RtChannel> prepare) {
    queues =
        RtQueues.open(
            RtQueueConfig.defaults()
                .messageBytesMax(FILE_BYTES_MAX + RequestHeader.SHA256_LENGTH)
                .channels(
                    created -> {
                      channel = created;
                      prepare.accept(created);
                    }));
    consumer = new Thread(() -> poll(target), "rt-initiator");
    consumer.setDaemon(true);
  }

  /**
   * Connects to a target.
   *
   * @param field name of the option that gave the address
   * @param prepare sees the channel below before it connects
   * @throws RequestException if it does not answer
   */
  public static QueueInitiator connect(String field, HostPort target, Consumer<RtChannel> prepare)
      throws RequestException {
    QueueInitiator initiator = new QueueInitiator(Hosts.resolve(field, target)[0], prepare);
    initiator.consumer.start();
    try {
      initiator.opened.join();
      return initiator;
    } catch (CompletionException e) {
      initiator.close();
      throw RequestException.of(
          "no target answers at " + target + ": " + e.getCause().getMessage());
    }
  }

  // ---- the thread that polls

  private void poll(InetSocketAddress target) {
    try (queues) {
      queues.connect(target);
      Handler handler = new Handler();
      while (!isEnding) {
        queues.await(handler, LIMIT, TURN);
      }
    } finally { // the connection is closed, so nothing is posted any more
      RequestException closed = RequestException.of(new IOException("it was closed"));
      opened.completeExceptionally(closed);
      requests.values().forEach(request -> request.end.completeExceptionally(closed));
    }
  }

  private final class Handler implements RtQueueHandler {
    @Override
    public void onCompletion(RtQueueEntry entry) {
      requests.remove(entry.tag()).onEnd(entry);
    }

    @Override
    public void onOpen(RtQueueConnection connection) {
      opened.complete(connection);
    }

    @Override
    public void onClosed(RtQueueConnection connection, CloseReason reason) {
      opened.completeExceptionally(RequestException.of(String.valueOf(reason)));
    }
  }

  // ---- requests

  /** Posts a request by its tag, and waits for its end. Where there is no room it posts again. */
  private <T> T call(LongUnaryOperator post, Reader<T> reader) throws IOException {
    long tag = tags.getAndIncrement();
    CompletableFuture<T> end = new CompletableFuture<>();
    requests.put(tag, new Request<>(reader, end));
    long answer = post.applyAsLong(tag);
    while (answer == RtQueueConnection.BACK_PRESSURED) {
      refused.increment();
      Thread.yield();
      answer = post.applyAsLong(tag);
    }
    if (answer < 0) {
      requests.remove(tag);
      throw RequestException.of("not sent: the connection had ended");
    }
    try {
      return end.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof IOException cause) {
        throw cause;
      }
      throw e;
    }
  }

  private RtQueueConnection connection() {
    return opened.join();
  }

  @Override
  public RtChannel channel() {
    return channel;
  }

  @Override
  public boolean isOpen() {
    return connection().closeReason() == null;
  }

  @Override
  public byte[] pull(RequestHeader header, int lengthBytesMax) throws IOException {
    byte[] encoded = header.encode();
    return call(
        tag -> connection().submitPull(encoded, lengthBytesMax, tag),
        end -> bytes(end, 0, end.length()));
  }

  private static byte[] bytes(RtQueueEntry end, int from, int length) {
    byte[] bytes = new byte[length];
    if (length > 0) {
      end.buffer().get(end.offset() + from, bytes);
    }
    return bytes;
  }

  @Override
  public byte[] store(String name, FileChannel file, long sizeBytes, LongConsumer onBytes)
      throws IOException {
    byte[] header = RequestHeader.store(name, sizeBytes).encode();
    int length = (int) sizeBytes + RequestHeader.SHA256_LENGTH;
    ByteBuf message = Unpooled.directBuffer(length, length);
    boolean[] isTaken = {false};
    try (file) {
      byte[] sha256 = read(file, (int) sizeBytes, message);
      call(
          tag -> {
            long answer = connection().submitPush(header, message, tag);
            isTaken[0] |= answer >= 0;
            return answer;
          },
          end -> true);
      onBytes.accept(sizeBytes);
      return sha256;
    } finally {
      if (!isTaken[0]) {
        message.release();
      }
    }
  }

  /** Reads a file and its checksum into a message. Returns the checksum. */
  private static byte[] read(FileChannel file, int sizeBytes, ByteBuf to) throws IOException {
    while (to.writerIndex() < sizeBytes) {
      if (to.writeBytes(file, to.writerIndex(), sizeBytes - to.writerIndex()) < 0) {
        throw new EOFException(
            "the file ends at " + to.writerIndex() + " of " + sizeBytes + " bytes");
      }
    }
    MessageDigest digest = Checksum.digest();
    digest.update(to.nioBuffer());
    byte[] sha256 = digest.digest();
    to.writeBytes(sha256);
    return sha256;
  }

  @Override
  public Sums fetch(String name, long sizeBytes, FileChannel file, LongConsumer onBytes)
      throws IOException {
    if (sizeBytes > FILE_BYTES_MAX) {
      throw RequestException.of(
          "the target's file has size=" + sizeBytes + ", valid: 0.." + FILE_BYTES_MAX);
    }
    byte[] header = RequestHeader.fetch(name, sizeBytes).encode();
    int lengthMax = (int) sizeBytes + RequestHeader.SHA256_LENGTH;
    return call(
        tag -> connection().submitPull(header, lengthMax, tag), end -> write(end, file, onBytes));
  }

  /** Writes a file from the answer to a pull, while its bytes are valid. */
  private static Sums write(RtQueueEntry end, FileChannel file, LongConsumer onBytes)
      throws IOException {
    int sizeBytes = end.length() - RequestHeader.SHA256_LENGTH;
    if (sizeBytes < 0) {
      throw RequestException.of("the target sent no checksum");
    }
    ByteBuffer bytes = end.buffer().duplicate();
    bytes.clear().position(end.offset()).limit(end.offset() + sizeBytes);
    MessageDigest digest = Checksum.digest();
    digest.update(bytes.duplicate());
    for (long at = 0; bytes.hasRemaining(); ) {
      at += file.write(bytes, at);
    }
    onBytes.accept(sizeBytes);
    return new Sums(digest.digest(), bytes(end, sizeBytes, RequestHeader.SHA256_LENGTH));
  }

  // ---- counts and end

  /** Returns what woke the thread that polls, and how often a post found no room, by name. */
  public Map<String, Long> counts() {
    Map<String, Long> counts = new LinkedHashMap<>();
    counts.put("posted", tags.get());
    counts.put("refused", refused.sum());
    counts.put("wakeUps", queues.count(RtQueueCounter.WAKE_UPS));
    counts.put("interruptsDue", queues.count(RtQueueCounter.INTERRUPTS_DUE));
    counts.put("suppressed", queues.count(RtQueueCounter.SUPPRESSED));
    return counts;
  }

  @Override
  public void abort() {
    channel.config().setOption(ChannelOption.SO_LINGER, 0);
    channel.close();
  }

  @Override
  public void close() {
    isEnding = true;
    queues.signal();
    try {
      consumer.join(CLOSE_MILLIS_MAX + TimeUnit.SECONDS.toMillis(1));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
