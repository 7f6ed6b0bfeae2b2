package io.rtransport.loadgen.transceiver;

import java.util.List;

/** The transports by name. */
public final class Transceivers {
  /** Names that {@link #create} knows. */
  public static final List<String> NAMES =
      List.of(
          "rt",
          "rt:busy",
          "rt:queue",
          "tcp",
          "tcp:packed",
          "udp",
          "udp:gso",
          "aeron",
          "aeron:invoker",
          "quic",
          "kcp");

  private Transceivers() {}

  /** Creates a transport by its name, one of {@link #NAMES}. */
  public static Transceiver create(String name, TransceiverSettings settings) {
    return switch (name) {
      case "rt", "rt:busy", "rt:queue" ->
          settings.queue() == null ? new RtTransceiver(settings) : new QueueTransceiver(settings);
      case "tcp" -> new TcpTransceiver(settings, false);
      case "tcp:packed" -> new TcpTransceiver(settings, true);
      case "udp" -> new UdpTransceiver(settings, false);
      case "udp:gso" -> new UdpTransceiver(settings, true);
      case "aeron" -> new AeronTransceiver(settings, AeronNode.Drive.SHARED);
      case "aeron:invoker" -> new AeronTransceiver(settings, AeronNode.Drive.INVOKED);
      case "quic" -> new QuicTransceiver(settings);
      case "kcp" -> new KcpTransceiver(settings);
      default -> throw new IllegalArgumentException("transport=" + name);
    };
  }
}
