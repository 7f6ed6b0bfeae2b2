package io.rtransport.core.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Links between pages lead to a file and a heading that are there, and README reaches each page.
 */
class DocumentLinksTest {
  private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
  private static final Pattern CODE = Pattern.compile("(?s)```.*?```");
  private static final Pattern PAGE = Pattern.compile("docs/[a-z0-9/_-]+\\.md");

  @Test
  void shouldLeadToFilesAndHeadingsThatAreThere() throws IOException {
    List<String> broken = new ArrayList<>();
    for (Path page : pages()) {
      for (String link : links(page)) {
        Path target = target(page, link);
        String heading = link.contains("#") ? link.substring(link.indexOf('#') + 1) : null;
        if (!Files.exists(target)) {
          broken.add(page + ": " + link);
        } else if (heading != null && isPage(target) && !headings(target).contains(heading)) {
          broken.add(page + ": " + link + ": no such heading");
        }
      }
    }
    assertThat(broken).isEmpty();
  }

  @Test
  void shouldReachEveryPageFromTheReadme() throws IOException {
    Deque<Path> toRead = new ArrayDeque<>(List.of(RepositoryFiles.ROOT.resolve("README.md")));
    Set<Path> reached = new HashSet<>(toRead);
    while (!toRead.isEmpty()) {
      Path page = toRead.pop();
      for (String link : links(page)) {
        Path target = target(page, link);
        if (isPage(target) && Files.exists(target) && reached.add(target)) {
          toRead.push(target);
        }
      }
    }
    Path docs = RepositoryFiles.ROOT.resolve("docs");
    List<Path> lost = new ArrayList<>(pages());
    lost.removeIf(page -> !page.startsWith(docs));
    assertThat(lost).hasSizeGreaterThan(20);
    lost.removeAll(reached);
    assertThat(lost).isEmpty();
  }

  @Test
  void shouldNameOnlyPagesThatAreThereInSourcesAndScripts() throws IOException {
    List<String> broken = new ArrayList<>();
    int names = 0;
    for (Path file : RepositoryFiles.all()) {
      String name = file.getFileName().toString();
      boolean isCode = name.endsWith(".java") || name.endsWith(".xml") || name.endsWith(".pml");
      if (!isCode && name.indexOf('.') >= 0 && !file.toString().contains("/.ci/")) {
        continue;
      }
      Matcher page = PAGE.matcher(Files.readString(file));
      while (page.find()) {
        names++;
        if (!Files.exists(RepositoryFiles.ROOT.resolve(page.group()))) {
          broken.add(file + ": " + page.group());
        }
      }
    }
    assertThat(names).isGreaterThan(50);
    assertThat(broken).isEmpty();
  }

  private static List<Path> pages() throws IOException {
    return RepositoryFiles.all().stream().filter(DocumentLinksTest::isPage).toList();
  }

  private static boolean isPage(Path file) {
    return file.getFileName().toString().endsWith(".md");
  }

  /** Those to other places than the repository are left out. */
  private static List<String> links(Path page) throws IOException {
    List<String> links = new ArrayList<>();
    Matcher link = LINK.matcher(CODE.matcher(Files.readString(page)).replaceAll(""));
    while (link.find()) {
      if (!link.group(1).contains("://")) {
        links.add(link.group(1));
      }
    }
    return links;
  }

  private static Path target(Path page, String link) {
    String file = link.contains("#") ? link.substring(0, link.indexOf('#')) : link;
    return file.isEmpty() ? page : page.resolveSibling(file).normalize();
  }

  /** As GitHub names them: small letters, words joined by hyphens, without punctuation. */
  private static Set<String> headings(Path page) throws IOException {
    Set<String> headings = new HashSet<>();
    CODE.matcher(Files.readString(page))
        .replaceAll("")
        .lines()
        .filter(line -> line.startsWith("#"))
        .map(line -> line.replaceFirst("^#+ ", "").replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1"))
        .map(text -> text.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N}_\\- ]", ""))
        .map(text -> text.strip().replace(' ', '-'))
        .forEach(headings::add);
    return headings;
  }
}
