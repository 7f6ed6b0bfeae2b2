package io.rtransport.core.wire;

/**
 * The two packet number spaces of a direction (patent, Figure 6): requests and data never wait for
 * each other.
 */
public enum WindowClass {
  REQUEST,
  DATA
}
