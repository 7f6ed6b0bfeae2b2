package io.rtransport.netty.control;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.rtransport.core.adp.NodeRegister;
import io.rtransport.netty.internal.loop.Nodes;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Lets processes of this host ask a node for its state, set its knobs of health, and read and set
 * its register, over a unix socket. State and knobs are those of all channels of this process. No
 * network can reach it. Its file belongs to its owner alone (mode 600) from the moment at which it
 * is visible. Requests and answers are lines; see {@link ControlRequests}. The socket has its own
 * thread, and no event loop of the node waits for it. Open and close may be called on any thread.
 */
public final class ControlSocket implements AutoCloseable {
  /** Time after which a connection that has sent nothing is closed, ms. */
  private static final long LIMIT_MILLIS = 5_000;

  private static final long SHUTDOWN_SECONDS = 3;

  private final NodeAnswers answers = new NodeAnswers();
  private final Path path;
  private final long limitMillis;
  private final EventLoopGroup loop;
  private Channel server;
  private Object fileKey;

  private ControlSocket(Path path, long limitMillis) {
    this.path = path;
    this.limitMillis = limitMillis;
    this.loop =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("rt-control", true), NioIoHandler.newFactory());
  }

  /**
   * Begins to answer at {@code path}, about state and knobs alone: for a process whose event loops
   * get no profile from a register.
   *
   * @param path as of {@link #open(Path, NodeRegister)}
   * @throws IOException as of {@link #open(Path, NodeRegister)}
   */
  public static ControlSocket open(Path path) throws IOException {
    return open(path, null, LIMIT_MILLIS);
  }

  /**
   * Begins to answer at {@code path}, about the node that the event loops of {@code group} form.
   *
   * @param path as of {@link #open(Path, NodeRegister)}
   * @param group a group that channels run on, or one event loop of it
   * @throws IOException as of {@link #open(Path, NodeRegister)}
   */
  public static ControlSocket open(Path path, EventLoopGroup group) throws IOException {
    return open(path, Nodes.registerOf(group.next()));
  }

  /**
   * Begins to answer at {@code path}. The path must be free, or hold the socket of a process that
   * is gone.
   *
   * @param register of the event loops that new connections get their profile from
   * @throws IOException if there is another file, a process that answers there, or no socket
   *     available; the message says which
   */
  public static ControlSocket open(Path path, NodeRegister register) throws IOException {
    return open(path, register, LIMIT_MILLIS);
  }

  static ControlSocket open(Path path, NodeRegister register, long limitMillis) throws IOException {
    checkFree(path);
    ControlSocket socket = new ControlSocket(path.toAbsolutePath(), limitMillis);
    try {
      socket.bind(register);
    } catch (IOException | RuntimeException e) {
      socket.loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
      throw e;
    }
    return socket;
  }

  private static void checkFree(Path path) throws IOException {
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    boolean isSocket =
        Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).isOther();
    if (!isSocket) {
      throw new IOException("there is a file of another kind");
    }
    try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      probe.connect(UnixDomainSocketAddress.of(path));
    } catch (ConnectException e) {
      return; // no process is behind it any more
    } catch (IOException e) {
      throw new IOException("whether a process answers there is not known: " + e.getMessage(), e);
    }
    throw new IOException("another process answers there");
  }

  /**
   * Binds the socket in a directory that belongs to its owner alone, and moves it to its path once
   * its mode is right.
   */
  private void bind(NodeRegister register) throws IOException {
    Path directory = Files.createTempDirectory(path.getParent(), ".rt");
    Path hidden = directory.resolve("s");
    try {
      ChannelFuture bound =
          new ServerBootstrap()
              .group(loop)
              .channelFactory(NioServerDomainSocketChannel::new)
              .childHandler(new ControlConnections(register, answers, limitMillis))
              .bind(UnixDomainSocketAddress.of(hidden))
              .awaitUninterruptibly();
      if (!bound.isSuccess()) {
        throw new IOException(bound.cause().getMessage(), bound.cause());
      }
      server = bound.channel();
      if (FileSystems.getDefault().supportedFileAttributeViews().contains("posix")) {
        Files.setPosixFilePermissions(hidden, PosixFilePermissions.fromString("rw-------"));
      }
      fileKey = key(hidden);
      Files.move(hidden, path, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(hidden);
      Files.delete(directory);
    }
  }

  /** Returns the answers to {@code stat}. */
  NodeAnswers answers() {
    return answers;
  }

  /** Returns the path at which it answers. */
  public Path path() {
    return path;
  }

  private static Object key(Path file) throws IOException {
    return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
        .fileKey();
  }

  /** Stops answering, and removes the file, unless another file has taken its place. */
  @Override
  public void close() throws IOException {
    server.close().awaitUninterruptibly(SHUTDOWN_SECONDS, TimeUnit.SECONDS);
    loop.shutdownGracefully(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
    try {
      if (Objects.equals(fileKey, key(path))) {
        Files.deleteIfExists(path);
      }
    } catch (NoSuchFileException e) {
      // another process has removed it
    }
  }
}
