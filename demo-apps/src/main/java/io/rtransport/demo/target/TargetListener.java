package io.rtransport.demo.target;

import java.net.SocketAddress;

/** What a target tells of its work. Called on any of its threads; must not block. */
public interface TargetListener {
  /** A file is stored, durably, and its sender is being told. */
  void onStored(String name, long sizeBytes, SocketAddress from);

  /** A request was refused or failed. */
  void onRefused(String what, String why, SocketAddress from);

  /** A connection ended otherwise than by a close; what it was storing is forgotten. */
  void onLost(String why, SocketAddress from);
}
