package io.rtransport.netty.port;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.Errors.NativeIoException;
import io.rtransport.core.outcome.SendFailure;
import java.io.IOException;
import java.net.BindException;
import java.net.NoRouteToHostException;
import java.net.PortUnreachableException;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One form for what native sockets say by numbers and those of the JDK by exceptions and words. */
class PortErrorTest {
  @ParameterizedTest
  @CsvSource({
    "111, NO_LISTENER",
    "101, NETWORK_UNREACHABLE",
    "113, HOST_UNREACHABLE",
    "112, HOST_UNREACHABLE",
    "99, ADDRESS_GONE",
    "100, DEVICE_DOWN",
    "19, DEVICE_DOWN",
    "22, INVALID",
    "1, FORBIDDEN",
    "13, FORBIDDEN",
    "105, NO_BUFFERS",
    "12, NO_BUFFERS",
    "90, TOO_LONG",
    "5, OTHER",
    "0, OTHER"
  })
  void shouldKnowTheNumbers(int number, PortError error) {
    assertThat(Epoll.isAvailable()).as("its library is loaded").isTrue();
    assertThat(PortError.of(new NativeIoException("sendmsg", -number, false))).isEqualTo(error);
  }

  @ParameterizedTest
  @CsvSource({
    "Network is unreachable, NETWORK_UNREACHABLE",
    "No route to host, HOST_UNREACHABLE",
    "Cannot assign requested address, ADDRESS_GONE",
    "Network is down, DEVICE_DOWN",
    "Invalid argument, INVALID",
    "Permission denied, FORBIDDEN",
    "Operation not permitted, FORBIDDEN",
    "No buffer space available, NO_BUFFERS",
    "Message too long, TOO_LONG",
    "Connection refused, NO_LISTENER",
    "Input/output error, OTHER"
  })
  void shouldKnowTheWords(String words, PortError error) {
    assertThat(PortError.of(new IOException(words))).isEqualTo(error);
    assertThat(PortError.of(new SocketException(words + " (sendto failed)"))).isEqualTo(error);
  }

  @Test
  void shouldKnowTheExceptions() {
    assertThat(PortError.of(new PortUnreachableException())).isEqualTo(PortError.NO_LISTENER);
    assertThat(PortError.of(new NoRouteToHostException())).isEqualTo(PortError.HOST_UNREACHABLE);
    assertThat(PortError.of(new BindException())).isEqualTo(PortError.ADDRESS_GONE);
    assertThat(PortError.of(new ClosedChannelException())).isEqualTo(PortError.CLOSED);
    assertThat(PortError.of(new IOException())).isEqualTo(PortError.OTHER);
  }

  @Test
  void shouldTellAConnectionOnlyWhatItCanUse() {
    for (PortError error : PortError.values()) {
      boolean isSilent =
          error == PortError.TOO_LONG || error == PortError.CLOSED || error == PortError.OTHER;
      assertThat(error.failure() == null).as(error.name()).isEqualTo(isSilent);
      assertThat(error.isOfRoute()).as(error.name()).isIn(false, error.mayBeOurs());
    }
    assertThat(PortError.NO_BUFFERS.failure()).isEqualTo(SendFailure.REFUSED);
    assertThat(PortError.ADDRESS_GONE.isOfRoute()).as("the caller's mistake").isFalse();
  }
}
