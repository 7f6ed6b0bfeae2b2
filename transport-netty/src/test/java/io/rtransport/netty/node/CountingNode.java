package io.rtransport.netty.node;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A process with node "counter". Before it answers a message it appends the message's payload to a
 * file, as a line: that is its execution. Prints its port.
 */
final class CountingNode {
  private CountingNode() {}

  /**
   * @param args the file, and the port
   */
  public static void main(String[] args) throws Exception {
    Path file = Path.of(args[0]);
    NodeTarget target =
        new NodeTarget() {
          @Override
          public void onPut(NodePut put) {
            try {
              String line = new String(put.payload(), UTF_8) + "\n";
              Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
            put.acknowledge();
          }
        };
    RtNode node =
        RtNode.open(
            NodeConfig.named("counter")
                .listen(new InetSocketAddress("127.0.0.1", Integer.parseInt(args[1])))
                .target(target));
    System.out.println(node.addresses().get(0).getPort());
    System.in.read(); // until its parent ends, or kills it
    System.exit(0);
  }
}
