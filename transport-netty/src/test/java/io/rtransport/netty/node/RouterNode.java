package io.rtransport.netty.node;

import java.net.InetSocketAddress;

/** A process with a router that leads origin "alpha" to node "counter". Prints its port. */
final class RouterNode {
  private RouterNode() {}

  /**
   * @param args its name, its port, and the counter's port
   */
  public static void main(String[] args) throws Exception {
    RtNode node =
        RtNode.open(
            NodeConfig.named(args[0])
                .listen(new InetSocketAddress("127.0.0.1", Integer.parseInt(args[1])))
                .peer("counter", new InetSocketAddress("127.0.0.1", Integer.parseInt(args[2])))
                .forwardFor("alpha"));
    System.out.println(node.addresses().get(0).getPort());
    System.in.read(); // until its parent ends, or kills it
    System.exit(0);
  }
}
