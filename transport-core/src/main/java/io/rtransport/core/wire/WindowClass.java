package io.rtransport.core.wire;

/**
 * The two packet number spaces of a direction (patent, Fig. 6). Requests and data never wait for
 * each other.
 */
public enum WindowClass {
  REQUEST,
  DATA
}
