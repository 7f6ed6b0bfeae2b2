package io.rtransport.demo.target;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import io.rtransport.demo.protocol.ErrorCode;
import io.rtransport.demo.protocol.Listing;
import io.rtransport.demo.protocol.Operation;
import io.rtransport.demo.protocol.RequestHeader;
import io.rtransport.demo.store.FileStore;
import io.rtransport.demo.store.StoreException;
import io.rtransport.demo.store.StoreName;
import io.rtransport.demo.store.Upload;
import io.rtransport.demo.transfer.FilePayload;
import io.rtransport.netty.PayloadSinks;
import io.rtransport.netty.RtChannel;
import io.rtransport.netty.RtPullRequest;
import io.rtransport.netty.RtPush;
import io.rtransport.netty.RtSink;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.FileChannel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Reader of the demo protocol's requests, for one connection of a target. {@link FileStore} stores
 * a push, which is acknowledged only when the file is whole, checked and durable. Reading or
 * forcing whole files runs on the disk's executor, never on an event loop. When that is overloaded,
 * requests are refused with {@link ErrorCode#BUSY}. No request of a peer makes this class throw.
 */
final class TargetHandler extends ChannelInboundHandlerAdapter implements PayloadSinks {
  private final FileStore store;
  private final Executor disk;
  private final TargetListener listener;
  private final Semaphore openFiles;
  private final UploadStarts starts;

  /** Files that this connection is pulling. */
  private final AtomicInteger pulledFiles = new AtomicInteger();

  /** Files of this connection that are not yet whole, or whole and not yet read here. */
  private final Set<UploadSink> arriving = ConcurrentHashMap.newKeySet();

  /**
   * Creates the handler.
   *
   * @param disk bounded; refuses by {@link RejectedExecutionException}
   * @param starting like {@code disk}, for the creation of files, which does not wait for the
   *     checksum of another
   * @param cleaning abandons uploads
   * @param openFiles permits for files being pulled, of all connections together
   */
  TargetHandler(
      FileStore store,
      Executor disk,
      Executor starting,
      Executor cleaning,
      Semaphore openFiles,
      TargetListener listener) {
    this.starts = new UploadStarts(store, starting, cleaning);
    this.store = store;
    this.disk = disk;
    this.openFiles = openFiles;
    this.listener = listener;
  }

  /** Disk work that answers a request, or fails with a code. */
  private interface Work {
    void run() throws IOException;
  }

  /** Refusal of a request. */
  private interface Refusal {
    boolean fail(int code, String text);
  }

  // Called before the first grant: nothing of a large file is sent before it is refused.
  @Override
  public RtSink choose(RtChannel channel, long lengthBytes, byte[] header) {
    RequestHeader request = RequestHeader.decode(header);
    try {
      if (request == null
          || request.operation() != Operation.STORE
          || request.size() < 0
          || request.size() != lengthBytes - RequestHeader.SHA256_LENGTH) {
        throw new StoreException(ErrorCode.BAD_REQUEST);
      }
      StoreName name = name(request);
      Upload upload = starts.take(header);
      if (upload == null) {
        return starts.begin(channel, name, request.size(), header);
      }
      UploadSink sink = new UploadSink(upload, this::onGone);
      arriving.add(sink);
      return sink;
    } catch (IOException e) {
      StoreException reason = StoreException.of(e);
      listener.onRefused("push", reason.getMessage(), channel.remoteAddress());
      return RtSink.refuse(reason.code().code());
    }
  }

  private void onGone(UploadSink sink) {
    arriving.remove(sink);
    sink.upload().abandon();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) throws Exception {
    starts.close();
    for (UploadSink sink : arriving) {
      sink.giveUp();
    }
    super.channelInactive(context);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (message instanceof RtPush push) {
      onPush(push, context.channel().remoteAddress());
    } else if (message instanceof RtPullRequest pull) {
      onPull(pull, context.channel().remoteAddress());
    } else {
      ReferenceCountUtil.release(message);
    }
  }

  private void onPush(RtPush push, SocketAddress from) {
    try {
      if (push.sink() instanceof UploadSink sink) {
        Upload upload = sink.upload();
        arriving.remove(sink);
        boolean isTaken =
            work(
                "push of " + upload.name(),
                from,
                push::fail,
                () -> {
                  upload.commit(sink.sha256(), sink.sha256Sent());
                  listener.onStored(upload.name().text(), upload.sizeBytes(), from);
                  push.acknowledge();
                });
        if (!isTaken) {
          starts.forget(upload);
        }
      } else {
        push.fail(ErrorCode.BAD_REQUEST.code(), ErrorCode.BAD_REQUEST.text());
      }
    } finally {
      push.release();
    }
  }

  private void onPull(RtPullRequest pull, SocketAddress from) {
    RequestHeader request = RequestHeader.decode(pull.header());
    if (request != null && request.operation() == Operation.ECHO) {
      if (pull.lengthBytesMax() >= Long.BYTES) {
        pull.respond(Unpooled.copyLong(request.size()));
        return;
      }
      request = null;
    }
    if (request == null || request.operation() == Operation.STORE) {
      pull.fail(ErrorCode.BAD_REQUEST.code(), ErrorCode.BAD_REQUEST.text());
      listener.onRefused("pull", ErrorCode.BAD_REQUEST.text(), from);
      return;
    }
    RequestHeader known = request;
    work("pull", from, pull::fail, () -> answer(pull, known));
  }

  private void answer(RtPullRequest pull, RequestHeader request) throws IOException {
    switch (request.operation()) {
      case STAT -> respond(pull, store.stat(name(request), request.size()).encode());
      case LIST -> respond(pull, Listing.encode(store.list(request.name())));
      case FETCH -> fetch(pull, name(request), request.size());
      default -> throw new StoreException(ErrorCode.BAD_REQUEST);
    }
  }

  private static void respond(RtPullRequest pull, byte[] answer) throws StoreException {
    if (answer.length > pull.lengthBytesMax()) {
      throw new StoreException(ErrorCode.TOO_LONG);
    }
    pull.respond(Unpooled.wrappedBuffer(answer));
  }

  private void fetch(RtPullRequest pull, StoreName name, long sizeBytes) throws IOException {
    // No peer pulls more files than are left for others.
    if (pulledFiles.incrementAndGet() > openFiles.availablePermits() || !openFiles.tryAcquire()) {
      pulledFiles.decrementAndGet();
      throw new StoreException(ErrorCode.BUSY);
    }
    FilePayload payload;
    try {
      FileChannel file = store.read(name);
      payload = new FilePayload(file, file.size(), bytes -> {}, this::onPulled);
    } catch (IOException e) {
      onPulled();
      throw e;
    }
    long fileBytes = payload.lengthBytes() - RequestHeader.SHA256_LENGTH;
    if (fileBytes != sizeBytes || payload.lengthBytes() > pull.lengthBytesMax()) {
      payload.release();
      throw new StoreException(ErrorCode.CHANGED);
    }
    pull.respond(payload);
  }

  private void onPulled() {
    pulledFiles.decrementAndGet();
    openFiles.release();
  }

  private boolean work(String what, SocketAddress from, Refusal refusal, Work work) {
    try {
      disk.execute(
          () -> {
            try {
              work.run();
            } catch (Error e) { // the request must not wait for ever
              refusal.fail(ErrorCode.IO.code(), ErrorCode.IO.text());
              throw e;
            } catch (IOException | RuntimeException e) {
              StoreException reason = StoreException.of(e);
              refusal.fail(reason.code().code(), reason.getMessage());
              if (reason.code() != ErrorCode.NOT_FOUND) { // a normal answer
                listener.onRefused(what, String.valueOf(e.getMessage()), from);
              }
            }
          });
      return true;
    } catch (RejectedExecutionException e) {
      refusal.fail(ErrorCode.BUSY.code(), ErrorCode.BUSY.text());
      return false;
    }
  }

  private static StoreName name(RequestHeader request) throws StoreException {
    StoreName name = StoreName.of(request.name());
    if (name == null) {
      throw new StoreException(ErrorCode.BAD_NAME);
    }
    return name;
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    listener.onLost(String.valueOf(cause.getMessage()), context.channel().remoteAddress());
    context.close();
  }
}
