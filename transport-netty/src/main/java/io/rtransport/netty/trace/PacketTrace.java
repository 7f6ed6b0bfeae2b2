package io.rtransport.netty.trace;

import io.netty.channel.ChannelHandlerContext;
import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.wire.ClearHeaderFlyweight;
import io.rtransport.core.wire.NumberedHeaderFlyweight;
import io.rtransport.core.wire.PacketType;
import io.rtransport.netty.handler.RtTap;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Writes a trace line for each packet that passes, in both directions. It stands behind {@code
 * rt-wire}, so it knows which packets the door refused.
 */
final class PacketTrace extends RtTap {
  private final TraceLines lines;
  private final RecordTrace records = new RecordTrace();
  private final ClearHeaderFlyweight clear = new ClearHeaderFlyweight();
  private final NumberedHeaderFlyweight numbered = new NumberedHeaderFlyweight();

  PacketTrace(TraceLines lines) {
    this.lines = lines;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof PacketBurst burst) {
      tell("in", burst);
    }
    ctx.fireChannelRead(message);
  }

  @Override
  protected void onTransmit(PacketBurst burst) {
    tell("out", burst);
  }

  private void tell(String direction, PacketBurst burst) {
    for (int i = 0; i < burst.count(); i++) {
      Map<String, Object> line = lines.begin("packet");
      line.put("direction", direction);
      line.put("bytes", burst.length(i));
      if (burst.isDropped(i)) {
        line.put("refused", true); // nothing in it can be trusted
      } else {
        put(line, burst.buffer(i), burst.offset(i), burst.length(i));
      }
      lines.end(line);
    }
  }

  private void put(Map<String, Object> line, ByteBuffer buffer, int offset, int length) {
    int type = clear.wrap(buffer, offset).type();
    line.put("type", PacketType.name(type));
    line.put("cid", Integer.toUnsignedLong(clear.destinationCid()));
    if (!PacketType.isNumbered(type)) {
      return;
    }
    numbered.wrap(buffer, offset);
    line.put("psn", Integer.toUnsignedLong(numbered.psn()));
    line.put("path", numbered.pathId());
    line.put("transmission", numbered.transmissionSequence());
    line.put("requestAckBase", Integer.toUnsignedLong(numbered.requestAckBase()));
    line.put("dataAckBase", Integer.toUnsignedLong(numbered.dataAckBase()));
    List<Map<String, Object>> found = new ArrayList<>();
    records.read(buffer, numbered.recordsOffset(), numbered.recordsEnd(length), found);
    line.put("records", found);
  }
}
