package io.rtransport.demo.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rtransport.demo.protocol.ErrorCode;
import io.rtransport.demo.protocol.Listing;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileStoreTest {
  private static final byte[] CONTENT = "content of a file".getBytes(StandardCharsets.UTF_8);
  private static final InetAddress HOST = InetAddress.getLoopbackAddress();

  @TempDir Path scratch;
  private Path root;
  private FileStore store;

  @BeforeEach
  void open() throws IOException {
    root = scratch.resolve("root");
    store = FileStore.open(root);
  }

  @AfterEach
  void close() throws IOException {
    store.close();
  }

  @Test
  void shouldShowAFileOnlyOnceItIsWhole() throws Exception {
    Upload upload = begin("a");
    upload.file().write(ByteBuffer.wrap(CONTENT, 8, CONTENT.length - 8), 8);
    assertThat(root.resolve("a")).doesNotExist();
    upload.file().write(ByteBuffer.wrap(CONTENT, 0, 8), 0);
    assertThat(root.resolve("a")).doesNotExist();
    commit(upload);
    assertThat(root.resolve("a")).hasBinaryContent(CONTENT);
    assertThat(temporaryFiles()).isEmpty();
  }

  @Test
  void shouldReplaceAnOlderFile() throws Exception {
    Files.writeString(root.resolve("a"), "older");
    commit(whole("a"));
    assertThat(root.resolve("a")).hasBinaryContent(CONTENT);
  }

  @Test
  void shouldKeepTheOlderFileWhenTheChecksumOrTheSizeIsWrong() throws Exception {
    Files.writeString(root.resolve("a"), "older");
    Upload wrong = begin("a");
    wrong.file().write(ByteBuffer.wrap(CONTENT, 1, CONTENT.length - 1), 1);
    assertRefused(wrong, ErrorCode.CHECKSUM);
    Upload missing = begin("a");
    assertRefused(missing, ErrorCode.CHECKSUM);
    Upload longer = whole("a");
    longer.file().write(ByteBuffer.wrap(CONTENT), CONTENT.length);
    assertRefused(longer, ErrorCode.CHECKSUM);
    assertThat(root.resolve("a")).hasContent("older");
    assertThat(temporaryFiles()).isEmpty();
  }

  @Test
  void shouldForgetAnAbandonedUpload() throws Exception {
    Upload upload = whole("a");
    upload.abandon();
    upload.abandon();
    upload.commit(new byte[32], new byte[32]);
    assertThat(root.resolve("a")).doesNotExist();
    assertThat(temporaryFiles()).isEmpty();
  }

  @Test
  void shouldReplaceALinkAndNeverWriteWhereItPoints() throws Exception {
    Path outside = Files.writeString(scratch.resolve("outside"), "untouched");
    Files.createSymbolicLink(root.resolve("a"), outside);
    commit(whole("a"));
    assertThat(outside).hasContent("untouched");
    assertThat(root.resolve("a")).isRegularFile().hasBinaryContent(CONTENT);
    assertThat(Files.isSymbolicLink(root.resolve("a"))).isFalse();
  }

  @Test
  void shouldNeitherReadNorListNorWriteWhatIsNotARegularFile() throws Exception {
    Path outside = Files.writeString(scratch.resolve("secret"), "secret");
    Files.createSymbolicLink(root.resolve("link"), outside);
    Files.createSymbolicLink(root.resolve("dangling"), scratch.resolve("nowhere"));
    Files.createDirectory(root.resolve("dir"));
    commit(whole("file"));
    assertCode(() -> store.read(name("link")), ErrorCode.NOT_A_FILE);
    assertCode(() -> store.stat(name("dangling"), -1), ErrorCode.NOT_A_FILE);
    assertCode(() -> store.read(name("dir")), ErrorCode.NOT_A_FILE);
    assertCode(() -> begin("dir"), ErrorCode.NOT_A_FILE);
    assertCode(() -> store.read(name("none")), ErrorCode.NOT_FOUND);
    assertThat(store.list("")).extracting(Listing.Entry::name).containsExactly("file");
  }

  @Test
  void shouldRefuseANameThatBecameADirectoryMeanwhile() throws Exception {
    Upload upload = whole("a");
    Files.createDirectory(root.resolve("a"));
    Files.createFile(root.resolve("a").resolve("inside"));
    assertRefused(upload, ErrorCode.NOT_A_FILE);
    assertThat(temporaryFiles()).isEmpty();
  }

  @Test
  void shouldRefuseMoreBytesThanTheDiskHas() {
    assertCode(() -> store.begin(HOST, this, name("a"), 1L << 60), ErrorCode.NO_SPACE);
    assertCode(() -> store.begin(HOST, this, name("a"), -1), ErrorCode.NO_SPACE);
  }

  @Test
  void shouldBoundTheFilesBeingStoredAtOnce() throws Exception {
    List<Upload> uploads = new ArrayList<>();
    for (int i = 0; i < FileStore.UPLOADS_MAX; i++) {
      uploads.add(begin("f" + i));
    }
    assertCode(() -> begin("more"), ErrorCode.BUSY);
    uploads.get(0).abandon();
    uploads.add(begin("more"));
    uploads.forEach(Upload::abandon);
    assertThat(temporaryFiles()).isEmpty();
  }

  @Test
  void shouldTakePlacesFromTheConnectionOfAHostWithTheMostUntilThePartsAreEqual() throws Exception {
    List<Upload> greedy = new ArrayList<>();
    for (int i = 0; i < FileStore.UPLOADS_MAX; i++) {
      greedy.add(begin("f" + i));
    }
    List<Upload> other = new ArrayList<>();
    for (int i = 0; i < FileStore.UPLOADS_MAX / 2; i++) {
      other.add(store.begin(HOST, other, name("g" + i), CONTENT.length));
    }
    assertThat(temporaryFiles()).hasSize(FileStore.UPLOADS_MAX);
    assertCode(() -> store.begin(HOST, other, name("more"), CONTENT.length), ErrorCode.BUSY);
    assertCode(() -> begin("more"), ErrorCode.BUSY);
    Upload displaced = greedy.get(FileStore.UPLOADS_MAX - 1); // the youngest first
    assertThat(displaced.file().isOpen()).isFalse();
    assertCode(
        () -> {
          displaced.commit(sha256(), sha256());
          return null;
        },
        ErrorCode.BUSY);
    assertThat(greedy.get(0).file().isOpen()).isTrue();

    greedy.forEach(Upload::abandon); // those that gave way too: they hold no place any more
    for (int i = 0; i < FileStore.UPLOADS_MAX / 2; i++) {
      other.add(store.begin(HOST, other, name("h" + i), CONTENT.length));
    }
    assertCode(() -> store.begin(HOST, other, name("more"), CONTENT.length), ErrorCode.BUSY);
    other.forEach(Upload::abandon);
    assertThat(temporaryFiles()).isEmpty();
  }

  @Test
  void shouldComputeAChecksumOnlyForTheSizeAskedAbout() throws Exception {
    commit(whole("a"));
    assertThat(store.stat(name("a"), CONTENT.length).sha256()).isEqualTo(sha256());
    assertThat(store.stat(name("a"), -1).sha256()).isNull();
    assertThat(store.stat(name("a"), CONTENT.length + 1).sha256()).isNull();
    assertThat(store.stat(name("a"), CONTENT.length + 1).sizeBytes()).isEqualTo(CONTENT.length);
  }

  @Test
  void shouldListInOrderAndGoOnAfterAName() throws Exception {
    for (String name : new String[] {"c", "a", "b", "Z"}) {
      commit(whole(name));
    }
    assertThat(store.list("")).extracting(Listing.Entry::name).containsExactly("Z", "a", "b", "c");
    assertThat(store.list("a")).extracting(Listing.Entry::name).containsExactly("b", "c");
    assertThat(store.list("c")).isEmpty();
  }

  @Test
  void shouldHaveItsRootAloneAndRemoveWhatAnEarlierProcessLeft() throws Exception {
    assertThatThrownBy(() -> FileStore.open(root)).hasMessageContaining("another target");
    begin("a");
    store.close();
    assertThat(temporaryFiles()).hasSize(1);
    store = FileStore.open(root);
    assertThat(temporaryFiles()).isEmpty();
  }

  @Test
  void shouldRefuseARootThatIsAFileOrWhoseOwnDirectoryIsALink() throws Exception {
    Path file = Files.createFile(scratch.resolve("file"));
    assertThatThrownBy(() -> FileStore.open(file)).isInstanceOf(IOException.class);
    Path trapped = Files.createDirectory(scratch.resolve("trapped"));
    Files.createSymbolicLink(
        trapped.resolve(".rt-incoming"), Files.createDirectory(scratch.resolve("elsewhere")));
    assertThatThrownBy(() -> FileStore.open(trapped)).isInstanceOf(IOException.class);
    assertThat(scratch.resolve("elsewhere")).isEmptyDirectory();
  }

  private static StoreName name(String text) {
    return StoreName.of(text);
  }

  private Upload begin(String name) throws IOException {
    return store.begin(HOST, this, name(name), CONTENT.length);
  }

  private Upload whole(String name) throws IOException {
    Upload upload = begin(name);
    upload.file().write(ByteBuffer.wrap(CONTENT), 0);
    return upload;
  }

  private static byte[] sha256() {
    try {
      return MessageDigest.getInstance("SHA-256").digest(CONTENT);
    } catch (java.security.NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  private List<Path> temporaryFiles() throws IOException {
    try (Stream<Path> files = Files.list(root.resolve(".rt-incoming"))) {
      return files.filter(file -> !file.endsWith("lock")).toList();
    }
  }

  private static void assertRefused(Upload upload, ErrorCode code) {
    assertCode(
        () -> {
          commit(upload);
          return null;
        },
        code);
  }

  private static void assertCode(java.util.concurrent.Callable<?> call, ErrorCode code) {
    assertThatThrownBy(call::call)
        .isInstanceOfSatisfying(StoreException.class, e -> assertThat(e.code()).isSameAs(code));
  }

  private static void commit(Upload upload) throws IOException {
    upload.commit(Checksum.sha256(upload.file(), upload.file().size()), sha256());
  }
}
