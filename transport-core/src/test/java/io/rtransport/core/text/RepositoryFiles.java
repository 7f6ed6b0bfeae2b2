package io.rtransport.core.text;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The files of the repository, without what a build or git makes. */
final class RepositoryFiles {
  static final Path ROOT = Path.of("").toAbsolutePath().getParent();

  private static final Set<String> MADE = Set.of(".git", ".rt", ".idea", ".vscode", "target");

  private RepositoryFiles() {}

  static List<Path> all() throws IOException {
    List<Path> files = new ArrayList<>();
    Files.walkFileTree(
        ROOT,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
            boolean isMade = MADE.contains(directory.getFileName().toString());
            return isMade ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            files.add(file);
            return FileVisitResult.CONTINUE;
          }

          /** Another test's scratch file may be gone by now. */
          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) {
            return FileVisitResult.CONTINUE;
          }
        });
    return files;
  }
}
