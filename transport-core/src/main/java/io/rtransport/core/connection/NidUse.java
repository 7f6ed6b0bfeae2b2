package io.rtransport.core.connection;

/** What an initiator does with an address that its target tells. */
public enum NidUse {
  /** It asks the address from each of its interfaces on the same network. */
  FROM_EACH_INTERFACE,

  /**
   * Each interface of its is a socket that is connected to one address. So it asks the address from
   * an interface of a new number, unless a pair leads there already. Its driver opens the socket
   * when the first packet leaves by that number.
   */
  FROM_NEW_INTERFACE,

  /** It does not use the address. */
  NONE
}
