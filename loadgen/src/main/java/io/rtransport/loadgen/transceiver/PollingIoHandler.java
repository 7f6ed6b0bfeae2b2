package io.rtransport.loadgen.transceiver;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;

/**
 * I/O of an event loop whose transport is polled. Each turn of the loop calls every duty once, and
 * a turn without work idles. It idles like Agrona's back-off strategy: spin, yield, then park for
 * twice as long each time, up to one millisecond. A timer or a task of the loop also ends the
 * idling. A loop that owns its processor only spins. Confined to its loop except for {@link
 * #wakeup}.
 */
final class PollingIoHandler implements IoHandler {
  /** How an idle loop passes the time. */
  enum Idle {
    /** Gives the processor away, soon and for longer each time. */
    BACK_OFF,
    /** Gives it away, but asks for it again immediately. */
    YIELD,
    /** Never gives it away. */
    SPIN
  }

  private static final int SPINS_MAX = 10;
  private static final int YIELDS_MAX = 5;
  private static final long PARK_NS_MIN = 1_000;
  private static final long PARK_NS_MAX = 1_000_000;

  private final Idle idle;
  private PollDuty[] duties = new PollDuty[0];
  private int idleTurns;
  private long parkNs = PARK_NS_MIN;
  private volatile Thread thread;

  private PollingIoHandler(Idle idle) {
    this.idle = idle;
  }

  static IoHandlerFactory newFactory(Idle idle) {
    return executor -> new PollingIoHandler(idle);
  }

  @Override
  public void initialize() {
    thread = Thread.currentThread();
  }

  @Override
  public int run(IoHandlerContext context) {
    int work = 0;
    for (PollDuty duty : duties) {
      work += duty.poll();
    }
    if (work > 0) {
      idleTurns = 0;
      parkNs = PARK_NS_MIN;
    } else if (context.canBlock()) {
      idle(context);
    }
    return work;
  }

  private void idle(IoHandlerContext context) {
    idleTurns = Math.min(idleTurns + 1, SPINS_MAX + YIELDS_MAX + 1);
    if (idle == Idle.SPIN || idle == Idle.BACK_OFF && idleTurns <= SPINS_MAX) {
      Thread.onSpinWait();
    } else if (idle == Idle.YIELD || idleTurns <= SPINS_MAX + YIELDS_MAX) {
      Thread.yield();
    } else {
      long deadlineNs = context.deadlineNanos();
      long leftNs = deadlineNs < 0 ? PARK_NS_MAX : context.delayNanos(System.nanoTime());
      if (leftNs > 0) {
        LockSupport.parkNanos(Math.min(parkNs, leftNs));
      }
      parkNs = Math.min(parkNs * 2, PARK_NS_MAX);
    }
  }

  @Override
  public void wakeup() {
    LockSupport.unpark(thread);
  }

  @Override
  public IoRegistration register(IoHandle handle) {
    PollDuty duty = (PollDuty) handle;
    PollDuty[] more = Arrays.copyOf(duties, duties.length + 1);
    more[duties.length] = duty;
    duties = more; // a running turn keeps its array
    return new Registration(duty);
  }

  @Override
  public boolean isCompatible(Class<? extends IoHandle> handleType) {
    return PollDuty.class.isAssignableFrom(handleType);
  }

  /** A duty that is called until this is cancelled, on the loop. */
  private final class Registration implements IoRegistration {
    private final PollDuty duty;
    private boolean isValid = true;

    Registration(PollDuty duty) {
      this.duty = duty;
    }

    @Override
    @SuppressWarnings("unchecked") // the caller names the type of its duty
    public <T> T attachment() {
      return (T) duty;
    }

    @Override
    public long submit(IoOps ops) {
      throw new UnsupportedOperationException("a polled duty has no operations");
    }

    @Override
    public boolean isValid() {
      return isValid;
    }

    @Override
    public boolean cancel() {
      if (!isValid) {
        return false;
      }
      isValid = false;
      duties = Arrays.stream(duties).filter(other -> other != duty).toArray(PollDuty[]::new);
      return true;
    }
  }
}
