package io.rtransport.loadgen.transceiver;

import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoRegistration;

/**
 * What a {@link PollingIoHandler} asks again and again, on its event loop, because nothing wakes
 * it: a transport whose receiver polls.
 */
interface PollDuty extends IoHandle {
  /** Does what there is to do, without waiting; 0 if that was nothing. */
  int poll();

  @Override
  default void handle(IoRegistration registration, IoEvent event) {
    throw new UnsupportedOperationException("a polled duty has no events");
  }

  @Override
  default void close() {}
}
