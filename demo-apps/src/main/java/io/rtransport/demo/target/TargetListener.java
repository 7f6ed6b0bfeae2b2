package io.rtransport.demo.target;

import java.net.SocketAddress;

/** Listener to a target's work. Called on any of its threads; must not block. */
public interface TargetListener {
  /** Tells that a file is stored, durably, and that its sender is being told. */
  void onStored(String name, long sizeBytes, SocketAddress from);

  /** Tells that a request was refused or failed. */
  void onRefused(String what, String why, SocketAddress from);

  /** Tells that a connection ended without a close. Its unfinished files are discarded. */
  void onLost(String why, SocketAddress from);
}
