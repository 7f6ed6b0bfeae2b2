package io.rtransport.netty.internal.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.netty.port.RtPort;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LinkTableTest {
  private final List<Integer> served = new ArrayList<>();
  private final List<Throwable> defects = new ArrayList<>();
  private final LinkTable<Greedy> links = new LinkTable<>();
  private final NarrowPort port = new NarrowPort();

  /** A port that takes so many sends, then no more. */
  private static final class NarrowPort extends RtPort {
    private int room;

    @Override
    public InetSocketAddress localAddress() {
      return null;
    }

    @Override
    public InetSocketAddress remoteAddress() {
      return null;
    }

    @Override
    public void connect(InetSocketAddress remote) {}

    @Override
    public boolean hasRoom() {
      return room > 0;
    }

    @Override
    public void send(PacketBurst burst, InetSocketAddress to) {
      room--;
    }

    @Override
    public void send(ByteBuffer buffer, int offset, int length, InetSocketAddress to) {}

    @Override
    protected void close() {}

    @Override
    public long socketCalls() {
      return 0;
    }
  }

  /** Always has something to send. */
  private final class Greedy implements LinkTable.Entry {
    private final int number;
    private final RtPort port;

    Greedy(int number, RtPort port) {
      this.number = number;
      this.port = port;
    }

    @Override
    public boolean uses(RtPort other) {
      return other == port;
    }

    @Override
    public void onRoom() {
      if (number < 0) {
        throw new IllegalStateException("this link broke");
      }
      served.add(number);
      port.send(null, null);
    }

    @Override
    public void onDefect(Throwable cause) {
      defects.add(cause);
    }
  }

  private static int cid(int slot) {
    return slot << 8 | 7;
  }

  private void offer(int room) {
    served.clear();
    port.room = room;
    links.offerRoom(port);
  }

  @Test
  void shouldGoOnWhereThePortHadNoMoreRoom() {
    for (int slot : new int[] {1, 5, 40, 300}) {
      links.add(cid(slot), new Greedy(slot, port));
    }
    links.add(cid(2), new Greedy(2, new NarrowPort()));
    offer(2);
    assertThat(served).containsExactly(1, 5);
    offer(1);
    assertThat(served).containsExactly(40);
    offer(2);
    assertThat(served).as("round the end").containsExactly(300, 1);
    offer(0);
    assertThat(served).isEmpty();
    offer(9);
    assertThat(served).as("each once").containsExactly(5, 40, 300, 1);
  }

  @Test
  void shouldGoOnBehindALinkThatThrows() {
    links.add(cid(1), new Greedy(-1, port));
    links.add(cid(2), new Greedy(2, port));
    offer(5);
    assertThat(served).containsExactly(2);
    assertThat(defects).singleElement().isInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldForgetOnlyTheLinkThatIsInTheSlot() {
    Greedy first = new Greedy(1, port);
    Greedy second = new Greedy(2, port);
    links.add(cid(3), first);
    links.add(cid(3), second);
    links.remove(cid(3), first);
    assertThat(links.at(cid(3))).isSameAs(second);
    links.remove(cid(3), second);
    assertThat(links.at(cid(3))).isNull();
    assertThat(links.at(cid(60_000))).isNull();
  }

  @Test
  void shouldVisitEachLinkOnceInSteps() {
    int[] slots = {0, 1, 2, 17, 400, 401, 20_000};
    for (int slot : slots) {
      links.add(cid(slot), new Greedy(slot, port));
    }
    List<Integer> visited = new ArrayList<>();
    int steps = 0;
    int from = 0;
    do {
      int before = visited.size();
      from = links.forEach(from, 2, link -> visited.add(link.number));
      assertThat(visited.size() - before).isLessThanOrEqualTo(2);
      steps++;
    } while (from >= 0);
    assertThat(visited).containsExactly(0, 1, 2, 17, 400, 401, 20_000);
    assertThat(steps).as("empty slots take time too").isBetween(600, 1_100);
  }
}
