package io.rtransport.loadgen.rig;

import io.netty.channel.EventLoopGroup;
import io.rtransport.command.CommandFailure;
import io.rtransport.core.text.InvalidValueException;
import io.rtransport.loadgen.transceiver.Transceiver;
import io.rtransport.loadgen.transceiver.Transceivers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Server of runs. It waits for clients on a TCP control port. For each client it starts the
 * requested transport on other ports, and tells the client those ports. A run lives as long as its
 * control connection.
 */
public final class LoadServer implements AutoCloseable {
  private final ServerSocket listener;
  private final InetAddress address;
  private final Function<List<String>, LoadOptions> parser;

  /**
   * Binds the control port.
   *
   * @param at where to listen; port 0 lets the system choose
   * @param parser turns a client's arguments into options, or throws {@link InvalidValueException}
   */
  public LoadServer(InetSocketAddress at, Function<List<String>, LoadOptions> parser)
      throws IOException {
    listener = new ServerSocket(at.getPort(), 16, at.getAddress());
    address = at.getAddress();
    this.parser = parser;
  }

  /** Returns the address of the control port. */
  public InetSocketAddress address() {
    return (InetSocketAddress) listener.getLocalSocketAddress();
  }

  /** Serves clients until {@link #close}. */
  public void run() {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        Thread thread = new Thread(() -> serve(socket), "rt-load-control");
        thread.setDaemon(true);
        thread.start();
      } catch (IOException e) {
        // Closed, or a client that had gone before it was accepted.
      }
    }
  }

  private void serve(Socket socket) {
    try (ControlLink link = new ControlLink(socket)) {
      Map<String, Object> question = link.read();
      if (question != null) {
        try {
          serve(link, options(question));
        } catch (InvalidValueException | CommandFailure e) {
          link.write(Map.of("error", e.getMessage()));
        }
      }
    } catch (Exception e) {
      // The client has gone, or is not one of ours: its run is over, the next may come.
      System.err.println("rt load: a run ended early: " + e.getMessage());
    }
  }

  private LoadOptions options(Map<String, Object> question) {
    if ("open".equals(question.get("verb")) && question.get("value") instanceof List<?> list) {
      return parser.apply(list.stream().map(String::valueOf).toList());
    }
    throw new CommandFailure("a run begins with open");
  }

  private void serve(ControlLink link, LoadOptions options) throws Exception {
    Transceiver transceiver = Transceivers.create(options.transport(), options.settings());
    EventLoopGroup loops = transceiver.loops(options.threads());
    try {
      List<Integer> ports =
          transceiver.listen(loops, new InetSocketAddress(address, 0)).stream()
              .map(InetSocketAddress::getPort)
              .toList();
      link.write(Map.of("ports", ports, "sidePorts", transceiver.sidePorts()));
      SideMeter meter = new SideMeter(transceiver);
      CompilerTime compilers = new CompilerTime();
      for (Map<String, Object> question = link.read(); question != null; question = link.read()) {
        link.write(answer(meter, compilers, String.valueOf(question.get("verb"))));
      }
    } finally {
      transceiver.close();
      loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
  }

  private static Map<String, Object> answer(SideMeter meter, CompilerTime compilers, String verb)
      throws Exception {
    switch (verb) {
      case "rehearse" -> meter.rehearse();
      case "start" -> meter.markStart();
      case "end" -> meter.markEnd();
      case "compilers" -> {
        return Map.of("sinceLastNs", compilers.sinceLastNs());
      }
      case "received" -> {
        return Map.of("messages", meter.received());
      }
      case "result" -> {
        return meter.result();
      }
      default -> {
        return Map.of("error", "unknown verb " + verb);
      }
    }
    return Map.of("ok", true);
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
