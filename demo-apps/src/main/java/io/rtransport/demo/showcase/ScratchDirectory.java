package io.rtransport.demo.showcase;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/** Own directory in the system's temporary one, removed with its contents. */
public final class ScratchDirectory implements AutoCloseable {
  private final Path path;

  private ScratchDirectory(Path path) {
    this.path = path;
  }

  public static ScratchDirectory make() throws IOException {
    return new ScratchDirectory(Files.createTempDirectory("rt-demo-"));
  }

  /** Creates a directory in it. */
  public Path directory(String name) throws IOException {
    return Files.createDirectory(path.resolve(name));
  }

  public Path file(String name) {
    return path.resolve(name);
  }

  @Override
  public void close() throws IOException {
    Files.walkFileTree(
        path,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path directory, IOException e)
              throws IOException {
            Files.deleteIfExists(directory);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
