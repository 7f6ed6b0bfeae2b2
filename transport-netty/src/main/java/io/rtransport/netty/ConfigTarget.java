package io.rtransport.netty;

import io.rtransport.core.connection.ApplicationVerbs;
import java.util.function.Consumer;

/** A channel as its {@link RtChannelConfig} sees it, where an option is set. Any thread. */
interface ConfigTarget {
  /** An option was set of which the connection is to hear, if there is one. */
  void onSet(Consumer<ApplicationVerbs> change);

  /** An option was set by which messages are given whole, or are not. */
  void onReadingSet();

  /** IP_TOS was set: of a socket that is this channel's alone. */
  void onTrafficClass(int value);

  /**
   * {@code autoRead} was switched off: a read that was asked for before is not wanted any more. A
   * read that the same thread asks for afterwards counts.
   */
  void clearRead();
}
