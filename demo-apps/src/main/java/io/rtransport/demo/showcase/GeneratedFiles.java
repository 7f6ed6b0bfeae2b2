package io.rtransport.demo.showcase;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Files for the demo: from one byte to 64 MiB, on both sides of a packet's size and of the
 * solicitation threshold. Their content is drawn by a seed and cannot be compressed, so no byte can
 * be right by chance.
 */
public final class GeneratedFiles {
  private static final int[] SIZES_BYTES = {
    1, 64, 1_000, 1_400, 4_096, 8_192, 8_193, 65_536, 1 << 20, (1 << 24) + 1, 1 << 26
  };

  private static final int CHUNK_BYTES = 1 << 16;

  private GeneratedFiles() {}

  /** Writes the files into {@code directory}. */
  public static List<Path> write(Path directory, long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    List<Path> files = new ArrayList<>();
    for (int sizeBytes : SIZES_BYTES) {
      Path file = directory.resolve(sizeBytes + "-bytes.bin");
      write(file, sizeBytes, random.split());
      files.add(file);
    }
    return files;
  }

  private static void write(Path file, int sizeBytes, SplittableRandom random) throws IOException {
    ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES);
    try (OutputStream out = Files.newOutputStream(file)) {
      for (int left = sizeBytes; left > 0; left -= CHUNK_BYTES) {
        for (int i = 0; i < CHUNK_BYTES; i += Long.BYTES) {
          chunk.putLong(i, random.nextLong());
        }
        out.write(chunk.array(), 0, Math.min(left, CHUNK_BYTES));
      }
    }
  }
}
