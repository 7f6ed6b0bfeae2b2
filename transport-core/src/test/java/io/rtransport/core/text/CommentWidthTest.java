package io.rtransport.core.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** No line of a comment is longer than 100 columns, in sources, scripts and build files. */
class CommentWidthTest {
  private static final int COLUMNS_MAX = 100;
  private static final Pattern CODE_COMMENT = Pattern.compile("^\\s*(//|/\\*|\\*)|;\\s*//");
  private static final Pattern SCRIPT_COMMENT = Pattern.compile("^\\s*#(?!!)|\\s#\\s[^'\"]*$");

  @Test
  void shouldWrapCommentsAtTheColumn() throws IOException {
    List<String> tooLong = new ArrayList<>();
    int files = 0;
    for (Path file : RepositoryFiles.all()) {
      Pattern comment = comment(file);
      if (comment != null || isXml(file)) {
        files++;
        check(file, comment, tooLong);
      }
    }
    assertThat(files).isGreaterThan(500);
    assertThat(tooLong).isEmpty();
  }

  @Test
  void shouldKnowACommentFromALongLineOfCode() {
    assertThat(CODE_COMMENT.matcher("  // Why.").find()).isTrue();
    assertThat(CODE_COMMENT.matcher("   * Why.").find()).isTrue();
    assertThat(CODE_COMMENT.matcher("  call(); // Why.").find()).isTrue();
    assertThat(CODE_COMMENT.matcher("  \"https://example.org\"").find()).isFalse();
    assertThat(SCRIPT_COMMENT.matcher("# Why.").find()).isTrue();
    assertThat(SCRIPT_COMMENT.matcher("run it # Why.").find()).isTrue();
    assertThat(SCRIPT_COMMENT.matcher("#!/bin/sh").find()).isFalse();
    assertThat(SCRIPT_COMMENT.matcher("[ $# -lt 2 ] || shift").find()).isFalse();
  }

  private static void check(Path file, Pattern comment, List<String> tooLong) throws IOException {
    boolean isInComment = false;
    int number = 0;
    for (String line : Files.readAllLines(file)) {
      number++;
      isInComment |= comment == null && line.contains("<!--");
      boolean isComment = comment == null ? isInComment : comment.matcher(line).find();
      if (isComment && line.length() > COLUMNS_MAX) {
        tooLong.add(file + ":" + number);
      }
      isInComment &= !line.contains("-->");
    }
  }

  /** What a line with a comment looks like; null where the file has none, or is XML. */
  private static Pattern comment(Path file) {
    String name = file.getFileName().toString();
    if (name.endsWith(".java") || name.endsWith(".pml")) {
      return CODE_COMMENT;
    }
    boolean isScript =
        name.endsWith(".sh")
            || name.endsWith(".py")
            || name.endsWith(".script")
            || name.endsWith(".properties")
            || name.indexOf('.') < 0;
    return isScript ? SCRIPT_COMMENT : null;
  }

  private static boolean isXml(Path file) {
    return file.getFileName().toString().endsWith(".xml");
  }
}
