package io.rtransport.netty.flight;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

@Name("io.rtransport.Retransmit")
@Label("Retransmission")
@Category({"RT", "Connection"})
@Description("Packets that a connection resent in one turn of its event loop, by reason.")
@StackTrace(false)
final class RetransmitEvent extends Event {
  @Label("Connection")
  @Description("The connection's id, which this side gave.")
  int connection;

  @Label("Peer")
  String peer;

  @Label("Early")
  @Description("Later packets had been acknowledged.")
  long early;

  @Label("Probe")
  @Description("Tail probes.")
  long probe;

  @Label("Timeout")
  @Description("The ADP timer had expired.")
  long timeout;

  @Label("Moved")
  @Description("The path had become suspect.")
  long moved;
}
