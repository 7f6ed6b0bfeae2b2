package io.rtransport.simulator;

/**
 * One fault in a swarm's world until it is healed, as data. The minimiser removes faults one by
 * one, and none shifts the effect of the others.
 *
 * @param where a link, a host, or a set of hosts as bits, depending on the kind
 * @param direction of a link: 0 from the connecting host to the accepting one, 1 back
 * @param atNs when it begins, after the start of the world
 * @param forNs its duration
 * @param amount depends on the kind
 * @param more depends on the kind
 */
record SwarmFault(
    Kind kind, int where, int direction, long atNs, long forNs, double amount, double more) {
  /** Kind of fault. */
  enum Kind {
    /** Datagrams of a link are lost, {@code amount} of them, on average {@code more} in a row. */
    LOSS(true),
    /** Datagrams are delayed by an exponential time, on average {@code amount} ns. */
    TAIL(true),
    /** Datagrams overtake each other, {@code amount} of them. */
    REORDER(true),
    /** Datagrams arrive twice. */
    DUPLICATE(true),
    /** Datagrams arrive again up to {@code more} ns later. */
    REPLAY(true),
    /** Datagrams arrive again from an address that no host has. */
    FORGE(true),
    /** Datagrams arrive damaged. */
    CORRUPT(true),
    /** An attacker off the path sends own packets next to {@code amount} of the datagrams. */
    INJECT(true),
    /** At most {@code amount} datagrams are in flight at a time. */
    CAPACITY(true),
    /** All datagrams are delayed for a while, then arrive together. */
    CLOG(true),
    /** No datagram arrives for a while. */
    ONE_WAY(true),
    /** The address of the link's connecting end changes. */
    MOVE(true),
    /** The hosts of a set and the others do not hear each other for a while. */
    PARTITION(false),
    /** A host does not run for a while. */
    PAUSE(false),
    /** A host forgets everything, and is back at the same address after a while. */
    CRASH(false),
    /** Datagrams longer than {@code amount} vanish for a while. */
    NARROW(true);

    private final boolean isOfLink;

    Kind(boolean isOfLink) {
      this.isOfLink = isOfLink;
    }

    boolean isOfLink() {
      return isOfLink;
    }
  }

  /** Returns whether it begins with the world and lasts until the world is healed. */
  boolean isLasting() {
    return kind.ordinal() <= Kind.CAPACITY.ordinal();
  }

  @Override
  public String toString() {
    String place =
        switch (kind) {
          case PARTITION -> "hosts " + Integer.toBinaryString(where) + " (bits)";
          case PAUSE, CRASH -> "host " + where;
          case MOVE -> "link " + where;
          default -> "link " + where + (direction == 0 ? " there" : " back");
        };
    String when =
        isLasting() ? "" : String.format(", at %,d us for %,d us", atNs / 1_000, forNs / 1_000);
    String how =
        switch (kind) {
          case LOSS -> String.format(", %.4f, %.1f in a row", amount, more);
          case TAIL -> String.format(", %,d us on average", (long) amount / 1_000);
          case REPLAY ->
              String.format(", %.4f, up to %,d ms later", amount, (long) more / 1_000_000);
          case REORDER, DUPLICATE, FORGE, CORRUPT, INJECT -> String.format(", %.4f", amount);
          case NARROW -> String.format(", %d bytes", (int) amount);
          case CAPACITY -> String.format(", %d datagrams", (int) amount);
          default -> "";
        };
    return kind + " " + place + when + how;
  }
}
