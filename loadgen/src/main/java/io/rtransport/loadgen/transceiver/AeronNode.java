package io.rtransport.loadgen.transceiver;

import io.aeron.Aeron;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.driver.status.SystemCounterDescriptor;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.IoUtil;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NoOpIdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.YieldingIdleStrategy;

/**
 * Aeron's media driver and one client of it, in this process and in their own directory. The
 * directory is removed with {@link #close}, or at the latest with the JVM.
 */
final class AeronNode implements AutoCloseable {
  /** Thread that runs the driver. */
  enum Drive {
    /**
     * Its own thread for sender, receiver and conductor together, for machines with few processors.
     */
    SHARED,
    /** The thread that uses it, by {@link #invoke}. */
    INVOKED
  }

  /** Prefix, followed by the process that made the directory. */
  static final String DIRECTORY_PREFIX = "rt-load-aeron-";

  private static final Path MEMORY = Path.of("/dev/shm");
  private static final int SOCKET_BUFFER_BYTES = 4 << 20;

  /** Largest window. With more in flight, every copy misses the cache. */
  private static final int WINDOW_BYTES_MAX = 2 << 20;

  /** Aeron's own choice. */
  private static final int WINDOW_BYTES_MIN = 128 << 10;

  private static final int TERM_BYTES_MIN = 4 << 20;

  /** Aeron's own choice, which takes messages of up to 2 MiB. */
  private static final int TERM_BYTES_MAX = 16 << 20;

  private final Path directory;
  private final Thread hook;
  private final MediaDriver driver;
  private final Aeron client;

  /**
   * Starts both.
   *
   * @param mtuBytes of a datagram; a multiple of 32
   * @param windowBytes bytes that a receiver accepts before the application has taken them, or less
   *     where the socket holds less
   * @param connections that share a socket's buffer: their windows together fit into it
   * @param messageBytesMax of the run's messages
   */
  AeronNode(
      Drive drive,
      PollingIoHandler.Idle idle,
      int mtuBytes,
      long windowBytes,
      int connections,
      int messageBytesMax)
      throws IOException {
    refuseClosedModule();
    directory =
        Files.createTempDirectory(home(), DIRECTORY_PREFIX + ProcessHandle.current().pid() + "-");
    hook = new Thread(() -> IoUtil.delete(directory.toFile(), true), "rt-load-aeron-end");
    Runtime.getRuntime().addShutdownHook(hook);
    int bufferBytes = socketBufferBytes();
    int termBytes = messageBytesMax > TERM_BYTES_MIN / 8 ? TERM_BYTES_MAX : TERM_BYTES_MIN;
    int share = Math.min(WINDOW_BYTES_MAX, Math.max(WINDOW_BYTES_MIN, bufferBytes / connections));
    int window = (int) Math.max(mtuBytes, Math.min(windowBytes, share));
    MediaDriver.Context context =
        new MediaDriver.Context()
            .aeronDirectoryName(directory.toString())
            .warnIfDirectoryExists(false)
            .dirDeleteOnStart(true)
            .dirDeleteOnShutdown(true)
            .threadingMode(drive == Drive.SHARED ? ThreadingMode.SHARED : ThreadingMode.INVOKER)
            .sharedIdleStrategy(strategy(idle))
            .sharedThreadFactory(new DefaultThreadFactory(Sockets.LOOP_THREAD_PREFIX, true))
            .mtuLength(mtuBytes)
            .socketRcvbufLength(bufferBytes)
            .socketSndbufLength(bufferBytes)
            .initialWindowLength(window)
            .publicationTermBufferLength(termBytes)
            .publicationTermWindowLength(window)
            .termBufferSparseFile(true); // pages are allocated on use, in the warm-up
    driver = MediaDriver.launch(context);
    Aeron.Context own = new Aeron.Context().aeronDirectoryName(directory.toString());
    if (drive == Drive.INVOKED) {
      own.useConductorAgentInvoker(true).driverAgentInvoker(driver.sharedAgentInvoker());
    }
    try {
      client = Aeron.connect(own);
    } catch (RuntimeException e) {
      closeDriver();
      throw new IOException("no connection to the media driver: " + e.getMessage(), e);
    }
  }

  private static IdleStrategy strategy(PollingIoHandler.Idle idle) {
    return switch (idle) {
      case BACK_OFF -> new BackoffIdleStrategy();
      case YIELD -> YieldingIdleStrategy.INSTANCE;
      case SPIN -> NoOpIdleStrategy.INSTANCE;
    };
  }

  private static void refuseClosedModule() throws IOException {
    Module base = Object.class.getModule();
    if (!base.isOpen("jdk.internal.misc", UnsafeBuffer.class.getModule())) {
      throw new IOException(
          "aeron needs the JVM flag --add-opens=java.base/jdk.internal.misc=ALL-UNNAMED, which ./rt"
              + " gives");
    }
  }

  /** Returns a directory in memory where there is such a file system. */
  static Path home() {
    return Files.isWritable(MEMORY) ? MEMORY : Path.of(System.getProperty("java.io.tmpdir"));
  }

  /** Returns the buffer size that the system grants. Aeron accepts no larger window. */
  private static int socketBufferBytes() throws IOException {
    try (DatagramChannel probe = DatagramChannel.open()) {
      probe.setOption(StandardSocketOptions.SO_RCVBUF, SOCKET_BUFFER_BYTES);
      probe.setOption(StandardSocketOptions.SO_SNDBUF, SOCKET_BUFFER_BYTES);
      int granted =
          Math.min(
              probe.getOption(StandardSocketOptions.SO_RCVBUF),
              probe.getOption(StandardSocketOptions.SO_SNDBUF));
      return Math.min(SOCKET_BUFFER_BYTES, granted);
    }
  }

  /** Returns the client. With an invoked driver, only the invoking thread may use it. */
  Aeron client() {
    return client;
  }

  /** Runs one turn of an invoked driver and of its client. */
  int invoke() {
    return driver.sharedAgentInvoker().invoke() + client.conductorAgentInvoker().invoke();
  }

  /** Returns the frames sent again because a receiver asked for them. */
  long retransmits() {
    return driver.context().systemCounters().get(SystemCounterDescriptor.RETRANSMITS_SENT).get();
  }

  /**
   * Ends both. No publication or image of the client may be used afterwards, because their memory
   * is released.
   */
  @Override
  public void close() {
    try {
      client.close();
    } finally {
      closeDriver();
    }
  }

  private void closeDriver() {
    try {
      driver.close();
    } finally {
      IoUtil.delete(directory.toFile(), true);
      removeHook();
    }
  }

  private void removeHook() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM is ending, and the hook finds nothing to do.
    }
  }
}
