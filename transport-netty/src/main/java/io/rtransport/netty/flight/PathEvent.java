package io.rtransport.netty.flight;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

@Name("io.rtransport.Path")
@Label("Path")
@Category({"RT", "Connection"})
@Description("A path of a connection over several networks that opened, closed, failed or works.")
@StackTrace(false)
final class PathEvent extends Event {
  @Label("Connection")
  @Description("The connection's id, which this side gave.")
  int connection;

  @Label("Path")
  @Description("The path's index in the connection, from 0.")
  int path;

  @Label("Remote")
  @Description("The peer's address at the other end.")
  String remote;

  @Label("Change")
  @Description("opened; usable: it answered, for the first time or again; suspect; closed.")
  String change;
}
