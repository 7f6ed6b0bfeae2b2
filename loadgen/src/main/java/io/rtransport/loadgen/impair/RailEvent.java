package io.rtransport.loadgen.impair;

/**
 * Change of a rail at a time of the run.
 *
 * @param rail index, from 0
 * @param atNs from the start of the measured time
 * @param state from then on; {@link RailState#LIVE} restores the rail
 */
public record RailEvent(int rail, long atNs, RailState state) {
  /** Returns whether it ends a kill. */
  public boolean isRestore() {
    return state == RailState.LIVE;
  }

  /** Returns the value of {@code --kill-rail} or {@code --restore-rail} that asks for it. */
  public String text() {
    return rail + "@" + atNs / 1_000 + "us" + state.suffix();
  }
}
