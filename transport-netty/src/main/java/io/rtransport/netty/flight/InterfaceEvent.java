package io.rtransport.netty.flight;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

@Name("io.rtransport.Interface")
@Label("Interface")
@Category({"RT", "Node"})
@Description("An interface of this node or of a peer whose health or state has changed.")
@StackTrace(false)
final class InterfaceEvent extends Event {
  @Label("Interface")
  @Description("Its address and network, of a peer's also its port.")
  String name;

  @Label("Ours")
  boolean ours;

  @Label("Health Before")
  int healthBefore;

  @Label("Health")
  @Description("0 to 1000. Charges take some off, answered PINGs give some back.")
  int health;

  @Label("Failed")
  @Description("Whether it has failed hard, and is not selected.")
  boolean failed;

  @Label("Causes")
  @Description("What it was charged for since its event before; empty for nothing.")
  String causes;
}
