package io.rtransport.loadgen.transceiver;

import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.uring.IoUringDatagramChannel;
import io.rtransport.core.rail.NiReport;
import io.rtransport.loadgen.transceiver.TransceiverSettings.Gso;
import io.rtransport.loadgen.transceiver.TransceiverSettings.Op;
import io.rtransport.netty.RtChannelOption;
import io.rtransport.netty.control.AdpSettings;
import io.rtransport.netty.node.RtNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What a run's settings mean for RT, whichever way it is used: options of the handshake and of
 * sockets. Stateless.
 */
final class RtOptions {
  /** As long as the client waits. */
  static final int CONNECT_TIMEOUT_MILLIS = 10_000;

  /** Longer than any run. */
  private static final long IDLE_TIMEOUT_MILLIS = TimeUnit.HOURS.toMillis(1);

  /** Longest messages in a budget. One that is kept whole may have half of the budget. */
  private static final int MESSAGES_KEPT = 2;

  private RtOptions() {}

  /** Sets the options of both sides: of a channel that connects, and of one that listens. */
  static void apply(TransceiverSettings settings, AdpSettings.Options options) {
    if (settings.mtuBytes() != 0) {
      options.set(RtChannelOption.DATAGRAM_LENGTH, settings.mtuBytes());
    } else {
      options.set(RtChannelOption.PATH_MTU_DISCOVERY, true);
    }
    settings.adp().applyTo(options);
    if (settings.congestion() != null) {
      options.set(RtChannelOption.CONGESTION, settings.congestion());
    }
    if (settings.windowPackets() != TransceiverSettings.WINDOW_PACKETS_DEFAULT) {
      options.set(RtChannelOption.DATA_WINDOW, settings.windowPackets());
    }
    options.set(RtChannelOption.ORDERED, settings.ordered());
    options.set(RtChannelOption.REQUEST_WINDOW, settings.windowPackets());
    options.set(RtChannelOption.FLUSH_WINDOW_MICROS, settings.flushWindowMicros());
    options.set(RtChannelOption.OFFLOAD, settings.gso() != Gso.OFF);
    // Idle connections must be measured at rest.
    options.set(RtChannelOption.KEEPALIVE, settings.op() != Op.IDLE);
    options.set(RtChannelOption.IDLE_TIMEOUT_MILLIS, IDLE_TIMEOUT_MILLIS);
  }

  /** Gives this process room for the run's longest messages. */
  static void raiseBudget(TransceiverSettings settings) {
    RtNode.raiseSolicitationBudget(MESSAGES_KEPT * (long) settings.sizes().sizeBytesMax());
  }

  /** Returns whether datagrams leave in segments. */
  static boolean isSegmenting(TransceiverSettings settings) {
    return settings.gso() != Gso.OFF
        && switch (settings.io()) {
          case NIO -> false;
          case EPOLL -> EpollDatagramChannel.isSegmentedDatagramPacketSupported();
          case IO_URING -> IoUringDatagramChannel.isSegmentedDatagramPacketSupported();
        };
  }

  /** Returns the health of the networks that this process knows, by their names. */
  static Map<String, Object> railHealths() {
    Map<String, Object> healths = new LinkedHashMap<>();
    for (NiReport ni : RtNode.railHealth().reports()) {
      if (!ni.isLocal()) {
        healths.put(ni.name(), ni.health());
      }
    }
    return healths;
  }
}
