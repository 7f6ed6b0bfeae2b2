package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * README's embedding example, compiled as it stands and run by every JDK from 17 that is found
 * here, without a JVM flag.
 */
@Timeout(120)
class EmbeddingExampleTest {
  static final String IMPORTS =
      """
      import static java.nio.charset.StandardCharsets.UTF_8;
      import io.netty.bootstrap.*;
      import io.netty.buffer.*;
      import io.netty.channel.*;
      import io.netty.channel.ChannelHandler.Sharable;
      import io.netty.channel.nio.*;
      import io.netty.channel.socket.nio.*;
      import io.rtransport.netty.*;
      """;

  @TempDir Path directory;

  @Test
  void shouldRunReadmesExampleWithoutFlagAndWithoutWarning() throws Exception {
    String source = IMPORTS + readmesExample();
    new DocumentedProgram(directory, "Hello", source).shouldPrint("the server said: hello\n");
  }

  static String readmesExample() throws IOException {
    Matcher block =
        Pattern.compile("EmbeddingExampleTest.*?```java\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(Path.of("..", "README.md")));
    assertThat(block.find()).as("README has the example").isTrue();
    return block.group(1);
  }
}
