package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** How an event loop over io_uring ends. */
class DrainingIoHandlerTest {
  private final List<String> calls = Collections.synchronizedList(new ArrayList<>());
  private RuntimeException failure;

  private final DrainingIoHandler handler =
      new DrainingIoHandler(
          new IoHandler() {
            private final Thread loop = Thread.currentThread();

            @Override
            public int run(IoHandlerContext context) {
              return 5;
            }

            @Override
            public void wakeup() {
              calls.add(Thread.currentThread() == loop ? "own wakeup" : "wakeup");
              if (failure != null) {
                throw failure;
              }
            }

            @Override
            public void prepareToDestroy() {
              calls.add("prepare");
            }

            @Override
            public void destroy() {
              calls.add(Thread.currentThread() == loop ? "destroy" : "destroy elsewhere");
            }

            @Override
            public IoRegistration register(IoHandle handle) {
              throw new UnsupportedOperationException();
            }

            @Override
            public boolean isCompatible(Class<? extends IoHandle> handleType) {
              return handleType == IoHandle.class;
            }
          });

  @Test
  void shouldBeWokenByAnotherThreadBeforeItsRingIsDestroyed() {
    handler.prepareToDestroy();
    handler.destroy();
    assertThat(calls).containsExactly("prepare", "wakeup", "destroy");
  }

  @Test
  void shouldStillBeWokenWhereItsThreadIsInterrupted() {
    Thread.currentThread().interrupt();
    handler.destroy();
    assertThat(Thread.interrupted()).as("kept for whoever asks").isTrue();
    assertThat(calls).containsExactly("wakeup", "destroy");
  }

  @Test
  void shouldDestroyItsRingWhereItCannotBeWoken() {
    failure = new IllegalStateException("no more");
    assertThatThrownBy(handler::destroy).isInstanceOf(CompletionException.class);
    assertThat(calls).containsExactly("wakeup", "destroy");
  }

  @Test
  void shouldOtherwiseBeWhatItStandsBefore() {
    assertThat(handler.run(null)).isEqualTo(5);
    assertThat(handler.isCompatible(IoHandle.class)).isTrue();
    handler.wakeup();
    assertThat(calls).containsExactly("own wakeup");
  }
}
