package io.rtransport.netty.flight;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

@Name("io.rtransport.GrantStall")
@Label("Grant Stall")
@Category({"RT", "Connection"})
@Description(
    "What the receiver allowed did not move: found since the turn of the event loop before.")
@StackTrace(false)
final class StallEvent extends Event {
  @Label("Connection")
  @Description("The connection's id, which this side gave.")
  int connection;

  @Label("Peer")
  String peer;

  @Label("Grants")
  @Description(
      "Grants of this side that saw no byte in time and stopped counting against the budget.")
  long grants;

  @Label("Credit")
  @Description("Times that this side had something to send and no credit for it.")
  long credit;
}
