package io.rtransport.netty.flight;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;

@Name("io.rtransport.SlowTransaction")
@Label("Slow Transaction")
@Category({"RT", "Transaction"})
@Description(
    "A transaction of this side's that took longer than the threshold from its write to its end.")
@Threshold("20 ms")
@StackTrace(false)
final class SlowTransactionEvent extends Event {
  @Label("Channel")
  String channel;

  @Label("Peer")
  String peer;

  @Label("Kind")
  @Description("message (a bare buffer or file), push or pull.")
  String kind;

  @Label("Length")
  @Description("Bytes of the message; for a pull, of the longest answer wanted.")
  long lengthBytes;

  @Label("Outcome")
  String outcome;
}
