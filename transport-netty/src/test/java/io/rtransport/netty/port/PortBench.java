package io.rtransport.netty.port;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadIoEventLoop;
import io.rtransport.core.window.RetransmissionStore;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** An event loop with a store and a listener that keeps what it hears: all that a port needs. */
final class PortBench implements PortContext, PortListener, AutoCloseable {
  private final Map<Object, RtPort> sharedPorts = new HashMap<>();

  /** One packet as it came, with how many came in the same read before it. */
  record Arrival(byte[] bytes, InetSocketAddress from, int indexInRead) {}

  private final EventLoopGroup group;
  private final ReceiveBuffers receiveBuffers = new ReceiveBuffers();
  private final RetransmissionStore store =
      new RetransmissionStore(ByteBuffer.allocateDirect(1 << 20));
  private final ByteBuf storeBytes = Unpooled.wrappedBuffer(store.memory());
  final BlockingQueue<Arrival> arrivals = new LinkedBlockingQueue<>();
  final BlockingQueue<String> news = new LinkedBlockingQueue<>();
  private ReceiveBuffer last;
  private int indexInRead;

  PortBench(IoHandlerFactory handlers) {
    group = new MultiThreadIoEventLoopGroup(1, handlers);
  }

  <T> T onLoop(Callable<T> action) throws Exception {
    return loop().submit(action).get(20, TimeUnit.SECONDS);
  }

  @Override
  public EventLoop loop() {
    return group.next();
  }

  @Override
  public ReceiveBuffers receiveBuffers() {
    return receiveBuffers;
  }

  RetransmissionStore store() {
    return store;
  }

  @Override
  public void pin(int token) {
    store.pin(token);
  }

  @Override
  public void unpin(int token) {
    store.unpin(token);
  }

  @Override
  public ByteBuf storeBytes() {
    return storeBytes;
  }

  @Override
  public boolean mustEmptySockets() {
    return false;
  }

  @Override
  public Map<Object, RtPort> sharedPorts() {
    return sharedPorts;
  }

  @Override
  public PortListener listener() {
    return this;
  }

  @Override
  public void onPacket(
      RtPort port, ReceiveBuffer buffer, int offset, int length, InetSocketAddress from) {
    indexInRead = buffer == last && offset > 0 ? indexInRead + 1 : 0;
    last = buffer;
    byte[] bytes = new byte[length];
    buffer.view().get(offset, bytes);
    arrivals.add(new Arrival(bytes, from, indexInRead));
  }

  @Override
  public void onReadComplete(RtPort port) {
    news.add("complete");
  }

  @Override
  public void onRoom(RtPort port) {
    news.add("room");
  }

  @Override
  public void onSendFailed(RtPort port, InetSocketAddress to, PortError error) {
    news.add(error.name());
  }

  @Override
  public void onClosed(RtPort port) {
    news.add("closed");
  }

  /** The next packet that has come, or comes within 20 s. */
  Arrival next() throws InterruptedException {
    Arrival arrival = arrivals.poll(20, TimeUnit.SECONDS);
    assertThat(arrival).as("a packet").isNotNull();
    return arrival;
  }

  /** Gives the port up, and waits until its socket is closed. */
  void close(RtPort port) throws Exception {
    onLoop(
        () -> {
          port.release();
          return null;
        });
    await().atMost(20, TimeUnit.SECONDS).until(() -> news.contains("closed"));
  }

  @Override
  public void close() throws Exception {
    onLoop(
        () -> {
          receiveBuffers.close();
          return null;
        });
    boolean isEmpty = ((SingleThreadIoEventLoop) loop()).registeredChannels() == 0;
    group.shutdownGracefully(isEmpty ? 0 : 50, 5_000, TimeUnit.MILLISECONDS).sync();
  }
}
