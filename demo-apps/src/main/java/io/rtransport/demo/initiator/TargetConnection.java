package io.rtransport.demo.initiator;

import io.rtransport.demo.protocol.FileStat;
import io.rtransport.demo.protocol.RequestHeader;
import io.rtransport.netty.RtChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.function.LongConsumer;

/**
 * One connection to a target, with its requests. The verbs block until the target has answered or
 * the connection has ended. Several threads may call them at once.
 */
public interface TargetConnection extends AutoCloseable {
  /**
   * Checksums of a pulled file.
   *
   * @param written of the bytes that were written here
   * @param sent of the bytes that the target has read, as it says
   */
  record Sums(byte[] written, byte[] sent) {}

  /** Returns the channel below, for its counters. */
  RtChannel channel();

  /** Returns whether the connection is open. */
  boolean isOpen();

  /**
   * Returns the answer to a request.
   *
   * @param lengthBytesMax length of the longest answer wanted
   */
  byte[] pull(RequestHeader header, int lengthBytesMax) throws IOException;

  /**
   * Returns the target's file of a name; see {@link io.rtransport.demo.protocol.Operation#STAT}.
   */
  default FileStat stat(String name, long sizeBytes) throws IOException {
    FileStat stat = FileStat.decode(pull(RequestHeader.stat(name, sizeBytes), FileStat.LENGTH_MAX));
    if (stat == null) {
      throw RequestException.of("the target's answer about " + name + " makes no sense");
    }
    return stat;
  }

  /** Sends {@code value} to the target's application and back. */
  default void echo(long value) throws IOException {
    byte[] answer = pull(RequestHeader.echo(value), Long.BYTES);
    if (answer.length != Long.BYTES || ByteBuffer.wrap(answer).getLong() != value) {
      throw RequestException.of("the target's echo is another than what was sent");
    }
  }

  /**
   * Pushes a file's bytes and their SHA-256. Returns when the target has stored them durably.
   *
   * @param file taken over
   * @param sizeBytes of the file, which must keep at least as many
   * @param onBytes called with bytes that need no more work, by any thread
   * @return the SHA-256
   */
  byte[] store(String name, FileChannel file, long sizeBytes, LongConsumer onBytes)
      throws IOException;

  /**
   * Pulls a file's bytes and their SHA-256. Returns when all of them have arrived.
   *
   * @param file written from 0; it stays open
   * @param onBytes called with bytes once they are written, on one thread at a time
   */
  Sums fetch(String name, long sizeBytes, FileChannel file, LongConsumer onBytes)
      throws IOException;

  /** Ends the connection now: outstanding requests fail. Any thread. */
  void abort();

  /** Closes the connection cleanly, and its threads. */
  @Override
  void close();
}
