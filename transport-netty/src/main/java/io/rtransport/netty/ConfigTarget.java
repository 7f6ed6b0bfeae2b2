package io.rtransport.netty;

import io.rtransport.core.connection.ApplicationVerbs;
import java.util.function.Consumer;

/** A channel as its {@link RtChannelConfig} sees it when an option is set. Any thread. */
interface ConfigTarget {
  /** Applies the change of an option to the connection, if there is one. */
  void onSet(Consumer<ApplicationVerbs> change);

  /** Tells that an option was set that decides which messages are given whole. */
  void onReadingSet();

  /** Tells that IP_TOS was set. It takes effect on a socket that belongs to this channel alone. */
  void onTrafficClass(int value);

  /**
   * Tells that {@code autoRead} was switched off: a read that was asked for before is not wanted
   * any more. A read that the same thread asks for afterwards counts.
   */
  void clearRead();
}
