package io.rtransport.netty.control;

import io.rtransport.core.adp.RoceAcclRegister;
import io.rtransport.core.text.InvalidValueException;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Asks the {@link ControlSocket} of another process. Blocks until the answer is there, for at most
 * 6 s. Stateless; any thread.
 */
public final class ControlClient {
  /** Longest answer, bytes. A state has at most some 250,000. */
  private static final int ANSWER_LENGTH_MAX = 1 << 20;

  /** Limit of the wait, ms: longer than the time after which a node ends a connection. */
  private static final long LIMIT_MILLIS = 6_000;

  private ControlClient() {}

  /**
   * Returns the register as it shows its active profile.
   *
   * @throws IOException if no process answers at the path
   */
  public static byte[] query(Path path) throws IOException {
    return request(path, "query");
  }

  /**
   * Returns the register as it shows profile {@code id}, 0..7.
   *
   * @throws IOException if no process answers at the path
   */
  public static byte[] query(Path path, int id) throws IOException {
    return request(path, "query " + id);
  }

  /**
   * Sets the fields that the select bits of {@code register} name. Returns the register after the
   * set.
   *
   * @throws IOException if no process answers at the path
   * @throws RefusedException with the node's reason; nothing has changed there
   */
  public static byte[] set(Path path, byte[] register) throws IOException {
    return request(path, "set " + HexFormat.of().formatHex(register));
  }

  /**
   * Returns the state of the node as JSON. Its keys are in docs/reference/command-line.md, "rt
   * stat". It is at most 200 ms old.
   *
   * @throws IOException if no process answers at the path
   */
  public static String stat(Path path) throws IOException {
    return ask(path, "stat", LIMIT_MILLIS);
  }

  /**
   * Sets knobs of health. Returns all of them after the set, as JSON.
   *
   * @throws IOException if no process answers at the path
   * @throws RefusedException if they do not fit the others; nothing has changed there
   */
  public static String set(Path path, HealthKnobs knobs) throws IOException {
    return ask(path, "knobs " + knobs, LIMIT_MILLIS);
  }

  private static byte[] request(Path path, String line) throws IOException {
    String answer = ask(path, line, LIMIT_MILLIS);
    try {
      return RoceAcclRegister.parseHex("answer", answer);
    } catch (InvalidValueException e) {
      throw new IOException("what answers there is no node: " + e.getMessage());
    }
  }

  /** Sends a line. Returns what follows "ok " in the answer. */
  static String ask(Path path, String line, long limitMillis) throws IOException {
    CompletableFuture<Void> limit = null;
    try (SocketChannel socket = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      limit =
          CompletableFuture.runAsync(
              () -> close(socket),
              CompletableFuture.delayedExecutor(limitMillis, TimeUnit.MILLISECONDS));
      socket.connect(UnixDomainSocketAddress.of(path));
      ByteBuffer bytes = ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.US_ASCII));
      while (bytes.hasRemaining()) {
        socket.write(bytes);
      }
      return accepted(answer(new BufferedInputStream(Channels.newInputStream(socket))));
    } catch (ClosedChannelException e) {
      throw new IOException("no answer within " + limitMillis / 1000.0 + " s", e);
    } finally {
      if (limit != null) {
        limit.cancel(false);
      }
    }
  }

  private static void close(SocketChannel socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String answer(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0 || line.size() == ANSWER_LENGTH_MAX) {
        throw new EOFException("the node ended the connection without an answer");
      }
      line.write(next);
    }
    return line.toString(StandardCharsets.UTF_8);
  }

  private static String accepted(String answer) throws IOException {
    if (answer.startsWith("refused ")) {
      throw new RefusedException(answer.substring("refused ".length()));
    }
    if (!answer.startsWith("ok ")) {
      throw new IOException("what answers there is no node");
    }
    return answer.substring("ok ".length());
  }
}
