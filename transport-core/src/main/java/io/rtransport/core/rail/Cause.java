package io.rtransport.core.rail;

/**
 * Why an interface loses health. The first three are the scenarios of LNet Health, "Reasons for
 * timeout".
 */
public enum Cause {
  /** Scenario 1: a packet waited in our own queue for the path timeout. */
  LOCAL_TIMEOUT,
  /** Scenario 2: sends kept failing for the path timeout. The culprit is not known. */
  NETWORK_TIMEOUT,
  /** Scenario 3: packets left and were not acknowledged. */
  REMOTE_TIMEOUT,
  /** Too many packets of a path were lost. */
  LOSS,
  /** A PING was not answered. */
  PING_FAILED,
  /** The system or the peer reported a {@link NiError}. */
  ERROR
}
