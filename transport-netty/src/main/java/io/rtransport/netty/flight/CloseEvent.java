package io.rtransport.netty.flight;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

@Name("io.rtransport.Close")
@Label("Connection End")
@Category({"RT", "Connection"})
@Description("A connection ended, for whatever reason, or could not be set up.")
@StackTrace(false)
final class CloseEvent extends Event {
  @Label("Connection")
  @Description("The connection's id, which this side gave.")
  int connection;

  @Label("Peer")
  String peer;

  @Label("Code")
  @Description("Of RT below 256, the closing application's own from there.")
  long code;

  @Label("Reason")
  @Description("The code's name, or its number.")
  String reason;

  @Label("Text")
  String text;

  @Label("By Peer")
  boolean byPeer;

  @Label("Packets Sent")
  @Description("Over the connection's life.")
  long packetsSent;

  @Label("Packets Resent")
  @Description("Over the connection's life, for every reason.")
  long packetsResent;
}
