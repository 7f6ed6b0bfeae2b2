package io.rtransport.demo.store;

import io.rtransport.demo.protocol.ErrorCode;
import io.rtransport.demo.protocol.FileStat;
import io.rtransport.demo.protocol.Listing;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Files of a target: the regular files directly in one directory, its root. A file appears whole or
 * not at all: it is written under a temporary name in {@code .rt-incoming} and renamed. Symbolic
 * links are never followed. A link in the root is not listed and not read. A push of its name
 * replaces the link, not its target. One process at a time owns a root. Any thread.
 */
public final class FileStore implements Closeable {
  /** Most files stored at the same time. Each holds a file descriptor. */
  public static final int UPLOADS_MAX = 256;

  private static final String INCOMING = StoreName.RESERVED_PREFIX + "incoming";
  private static final String LOCK = "lock";
  private static final int PAGE_ENTRIES_MAX = 1_024;

  private final Path root;
  private final Path incoming;
  private final FileChannel lockFile;
  private final UploadShares shares = new UploadShares(UPLOADS_MAX);
  private final AtomicInteger sequence = new AtomicInteger();

  private FileStore(Path root, Path incoming, FileChannel lockFile) {
    this.root = root;
    this.incoming = incoming;
    this.lockFile = lockFile;
  }

  /**
   * Opens the store, creates its directory if there is none, and removes unfinished files of an
   * earlier process.
   *
   * @throws IOException if the directory cannot be used, or another process owns it; the message
   *     says so in one line
   */
  public static FileStore open(Path directory) throws IOException {
    Path root = Files.createDirectories(directory.toAbsolutePath()).toRealPath();
    Path incoming = root.resolve(INCOMING);
    if (!Files.isDirectory(incoming, LinkOption.NOFOLLOW_LINKS)) {
      Files.createDirectory(incoming);
    }
    FileChannel lockFile =
        FileChannel.open(
            incoming.resolve(LOCK),
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            LinkOption.NOFOLLOW_LINKS);
    FileLock lock;
    try {
      lock = lockFile.tryLock();
    } catch (OverlappingFileLockException e) {
      lock = null;
    }
    if (lock == null) {
      lockFile.close();
      throw new FileSystemException(root.toString(), null, "another target stores there");
    }
    try (DirectoryStream<Path> left = Files.newDirectoryStream(incoming, "*.part")) {
      for (Path path : left) {
        Files.delete(path);
      }
    }
    return new FileStore(root, incoming, lockFile);
  }

  /** Returns the directory, absolute, links resolved. */
  public Path root() {
    return root;
  }

  /**
   * Begins to store a file. Nothing is visible under its name before {@link Upload#commit}.
   *
   * <p>When {@value #UPLOADS_MAX} files are being stored, the host with the most gives a place to
   * one with fewer. Among the connections of one host, the one with the most gives a place.
   *
   * @param address of its sender. Each IPv4 address is a host, and so is each /64 network of IPv6
   * @param connection its connection, compared by identity, not by equals
   */
  public Upload begin(InetAddress address, Object connection, StoreName name, long sizeBytes)
      throws IOException {
    Path path = path(name);
    if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
      throw new StoreException(ErrorCode.NOT_A_FILE);
    }
    if (sizeBytes < 0 || sizeBytes > Files.getFileStore(root).getUsableSpace()) {
      throw new StoreException(ErrorCode.NO_SPACE);
    }
    HostKey host = HostKey.of(address);
    if (!shares.hasPlace(host, connection)) {
      throw new StoreException(ErrorCode.BUSY);
    }
    Path temporary = incoming.resolve(sequence.incrementAndGet() + ".part");
    FileChannel file =
        FileChannel.open(
            temporary,
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE);
    Upload upload = new Upload(this, host, connection, name, sizeBytes, temporary, file);
    if (!shares.add(upload)) { // taken since
      upload.abandon();
      throw new StoreException(ErrorCode.BUSY);
    }
    return upload;
  }

  void onUploadEnded(Upload upload) {
    shares.remove(upload);
  }

  void publish(Path temporary, StoreName name) throws IOException {
    Path path = path(name);
    try {
      Files.move(
          temporary, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (AtomicMoveNotSupportedException e) {
      throw e;
    } catch (FileSystemException e) {
      if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
        throw new StoreException(ErrorCode.NOT_A_FILE);
      }
      throw e;
    }
    try (FileChannel directory = FileChannel.open(root, StandardOpenOption.READ)) {
      directory.force(true);
    }
  }

  /**
   * Opens a file for reading. The caller closes it. A later push of the name does not change the
   * bytes read.
   */
  public FileChannel read(StoreName name) throws IOException {
    Path path = path(name);
    requireRegular(path);
    try {
      return FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    } catch (NoSuchFileException e) {
      throw new StoreException(ErrorCode.NOT_FOUND);
    }
  }

  /**
   * Returns the size and, if it is {@code sizeBytes}, the checksum, for which it reads the whole
   * file.
   */
  public FileStat stat(StoreName name, long sizeBytes) throws IOException {
    try (FileChannel file = read(name)) {
      long size = file.size();
      return new FileStat(size, sizeBytes == size ? Checksum.sha256(file, size) : null);
    }
  }

  /** Returns the first files, by name, after {@code after}; at most {@value #PAGE_ENTRIES_MAX}. */
  public List<Listing.Entry> list(String after) throws IOException {
    TreeMap<String, Listing.Entry> page = new TreeMap<>();
    try (DirectoryStream<Path> paths = Files.newDirectoryStream(root)) {
      for (Path path : paths) {
        String name = path.getFileName().toString();
        boolean isLate = page.size() == PAGE_ENTRIES_MAX && name.compareTo(page.lastKey()) > 0;
        if (isLate || name.compareTo(after) <= 0 || StoreName.of(name) == null) {
          continue;
        }
        BasicFileAttributes file = attributes(path);
        if (file == null || !file.isRegularFile()) {
          continue;
        }
        page.put(name, new Listing.Entry(name, file.size(), file.lastModifiedTime().toMillis()));
        if (page.size() > PAGE_ENTRIES_MAX) {
          page.pollLastEntry();
        }
      }
    }
    return List.copyOf(page.values());
  }

  private static BasicFileAttributes attributes(Path path) throws IOException {
    try {
      return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  private static void requireRegular(Path path) throws IOException {
    BasicFileAttributes file = attributes(path);
    if (file == null) {
      throw new StoreException(ErrorCode.NOT_FOUND);
    }
    if (!file.isRegularFile()) {
      throw new StoreException(ErrorCode.NOT_A_FILE);
    }
  }

  /**
   * Returns the path, one component below the root. This is a second check after {@link
   * StoreName}'s.
   */
  private Path path(StoreName name) throws StoreException {
    try {
      Path path = root.resolve(name.text());
      if (root.equals(path.getParent()) && path.equals(path.normalize())) {
        return path;
      }
    } catch (InvalidPathException e) {
      throw new StoreException(
          ErrorCode.BAD_NAME, "this machine's file system has no such name: " + e.getReason());
    }
    throw new StoreException(ErrorCode.BAD_NAME);
  }

  @Override
  public void close() throws IOException {
    lockFile.close();
  }
}
