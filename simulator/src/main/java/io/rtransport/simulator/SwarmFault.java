package io.rtransport.simulator;

/**
 * One thing that is wrong in a swarm's world until it is healed, as data: the minimiser takes them
 * away one by one, and none shifts what the others do.
 *
 * @param where a link, a host, or a set of hosts as bits, as the kind says
 * @param direction of a link: 0 from the host that connects to the one that accepts, 1 back
 * @param atNs when it begins, after the start of the world
 * @param forNs how long it lasts
 * @param amount as the kind says
 * @param more as the kind says
 */
record SwarmFault(
    Kind kind, int where, int direction, long atNs, long forNs, double amount, double more) {
  /** What can be wrong. */
  enum Kind {
    /** A link's datagrams are lost, {@code amount} of them, {@code more} in a row on average. */
    LOSS(true),
    /** They take longer by an exponential time, {@code amount} ns on average. */
    TAIL(true),
    /** They overtake each other, {@code amount} of them. */
    REORDER(true),
    /** They come twice. */
    DUPLICATE(true),
    /** They come again up to {@code more} ns later. */
    REPLAY(true),
    /** They come again from an address at which nobody is. */
    FORGE(true),
    /** They come damaged. */
    CORRUPT(true),
    /** Somebody off the path sends packets of his own beside {@code amount} of them. */
    INJECT(true),
    /** No more than {@code amount} of them are under way at a time. */
    CAPACITY(true),
    /** They stand still for a while, then all come. */
    CLOG(true),
    /** None arrives for a while. */
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

  /** Whether it begins with the world and lasts until it is healed. */
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
