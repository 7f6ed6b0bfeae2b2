package io.rtransport.loadgen.impair;

/** What a rail does with datagrams. The transport is not told of it. */
public enum RailState {
  /** Carries datagrams both ways, with the impairment. */
  LIVE(""),
  /** Drops datagrams both ways. Its sockets stay open, so no ICMP message tells anybody. */
  DARK(""),
  /** Drops datagrams from the client to the server. Those back pass. */
  DARK_OUT(":out"),
  /** Drops datagrams from the server to the client. Those to the server pass. */
  DARK_BACK(":back"),
  /** Has no sockets. The kernel answers a datagram to it with ICMP port unreachable. */
  CLOSED(":close");

  private final String suffix;

  RailState(String suffix) {
    this.suffix = suffix;
  }

  /** Returns the end of the option {@code --kill-rail} that asks for this state. */
  public String suffix() {
    return suffix;
  }

  /** Returns whether datagrams from the client to the server are dropped. */
  public boolean isOutDark() {
    return this == DARK || this == DARK_OUT || this == CLOSED;
  }

  /** Returns whether datagrams from the server to the client are dropped. */
  public boolean isBackDark() {
    return this == DARK || this == DARK_BACK || this == CLOSED;
  }
}
