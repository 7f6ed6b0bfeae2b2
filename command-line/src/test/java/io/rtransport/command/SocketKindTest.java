package io.rtransport.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rtransport.core.text.InvalidValueException;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class SocketKindTest {
  private static final Function<SocketKind, String> NO_URING =
      kind -> kind == SocketKind.IO_URING ? "it is disabled" : null;

  @Test
  void shouldFindAKindByItsName() {
    assertThat(SocketKind.named("--io", "nio")).isEqualTo(SocketKind.NIO);
    assertThat(SocketKind.named("--io", "epoll", NO_URING)).isEqualTo(SocketKind.EPOLL);
    assertThat(SocketKind.available()).contains(SocketKind.NIO);
  }

  @Test
  void shouldSayInOneLineWhatIsNotThereWhyAndWhatIs() {
    assertThatThrownBy(() -> SocketKind.named("--io", "io_uring", NO_URING))
        .isInstanceOf(InvalidValueException.class)
        .hasMessage(
            "--io=io_uring is not valid: one of epoll, nio; this system has no io_uring: it is disabled");
    assertThatThrownBy(() -> SocketKind.named("--io", "kqueue", NO_URING))
        .isInstanceOf(InvalidValueException.class)
        .hasMessage("--io=kqueue is not valid: one of epoll, nio");
  }
}
