package io.rtransport.loadgen.transceiver;

import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoRegistration;

/**
 * Task that a {@link PollingIoHandler} calls repeatedly on its event loop, because nothing wakes
 * it: a transport whose receiver polls.
 */
interface PollDuty extends IoHandle {
  /** Does the pending work without waiting. Returns 0 if there was none. */
  int poll();

  @Override
  default void handle(IoRegistration registration, IoEvent event) {
    throw new UnsupportedOperationException("a polled duty has no events");
  }

  @Override
  default void close() {}
}
