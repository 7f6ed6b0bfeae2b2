package io.rtransport.simulator;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Events in their order: every packet below the wire sublayer as (virtual time, direction, hash of
 * its bytes), every delivery and every end. They are kept as one running hash, so that two runs can
 * be compared without storing them. On request they are written as lines.
 */
public final class SimTrace {
  private static final int KINDS = 16;

  private final Appendable out;
  private final SimTrace root;
  private final int scope;
  private final String label;
  private final CRC32C crc = new CRC32C();
  private long hash = 1;
  private long lastNs;

  /**
   * Events of each kind at one end of a link, in order and without times: one hash for each scope
   * and kind.
   */
  private long[] seen = new long[KINDS];

  /**
   * Creates an empty trace.
   *
   * @param out receives one line for each event, or null
   */
  public SimTrace(Appendable out) {
    this.out = out;
    this.root = this;
    this.scope = 0;
    this.label = "";
  }

  /**
   * Creates a part of {@code whole}, whose lines begin with {@code label}. Its events count in the
   * whole.
   */
  SimTrace(SimTrace whole, int scope, String label) {
    this.out = whole.out;
    this.root = whole;
    this.scope = scope;
    this.label = label;
  }

  void packet(int from, ByteBuffer buffer, int offset, int length, long nowNs) {
    crc.reset();
    crc.update(buffer.slice(offset, length));
    long digest = crc.getValue();
    add(nowNs, 1 + from, digest, length);
    if (out != null) {
      line(nowNs, "host " + from + " sends " + WireView.describe(buffer, offset, length));
    }
  }

  void delivered(int host, boolean isAnswer, long rsn, boolean isWhole, long nowNs) {
    addSeen(nowNs, (isAnswer ? 6 : 4) + host, rsn, isWhole ? 1 : 0);
    if (out != null) {
      line(
          nowNs,
          "host " + host + " delivers " + (isAnswer ? "answer " : "") + Long.toHexString(rsn));
    }
  }

  void ended(int host, long tag, int outcome, int code, long nowNs) {
    addSeen(nowNs, 8 + host, tag * 31 + outcome, code);
    if (out != null) {
      line(nowNs, "host " + host + " ends " + tag + " outcome " + outcome + " code " + code);
    }
  }

  void inputEnded(int host, long nowNs) {
    addSeen(nowNs, 12 + host, 0, 0);
    note(nowNs, "host " + host + " hears the end of its input");
  }

  void closed(int host, int code, long nowNs) {
    addSeen(nowNs, 10 + host, code, 0);
    note(nowNs, "host " + host + " closed, code " + code);
  }

  /** Writes a line for the reader only. It is not part of the hash. */
  void note(long nowNs, String text) {
    if (out != null) {
      line(nowNs, text);
    }
  }

  private void addSeen(long nowNs, int kind, long a, long b) {
    root.see(kind + KINDS * scope, a, b);
    add(nowNs, kind, a, b);
  }

  private void see(int stream, long a, long b) {
    if (stream >= seen.length) {
      seen = Arrays.copyOf(seen, Math.max(stream + 1, 2 * seen.length));
    }
    seen[stream] = SimRandom.mix(SimRandom.mix((seen[stream] + 1) * 31 + a) * 31 + b);
  }

  private void add(long nowNs, int kind, long a, long b) {
    if (root != this) {
      root.add(nowNs, kind + KINDS * scope, a, b);
      return;
    }
    lastNs = nowNs;
    hash = SimRandom.mix(hash ^ nowNs);
    hash = SimRandom.mix(hash * 31 + kind);
    hash = SimRandom.mix(hash * 31 + a);
    hash = SimRandom.mix(hash * 31 + b);
  }

  private void line(long nowNs, String text) {
    try {
      out.append(String.format("%,17d ", nowNs)).append(label).append(text).append('\n');
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the hash of all events so far. */
  public long hash() {
    return hash;
  }

  /**
   * Returns the hash of what the applications saw: deliveries, ends of transactions, ends of input
   * and of connections. It takes each end of a link and each kind in their order. It has no times
   * and no packets, and not the order of two kinds, so changes of these do not change it.
   */
  public long applicationHash() {
    long all = 1;
    for (int i = 0; i < seen.length; i++) {
      all += seen[i] == 0 ? 0 : SimRandom.mix(seen[i] + i);
    }
    return all;
  }

  /** Returns the virtual time of the last event. */
  public long lastNs() {
    return lastNs;
  }
}
