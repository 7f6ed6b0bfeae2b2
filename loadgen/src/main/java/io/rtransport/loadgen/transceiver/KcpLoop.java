package io.rtransport.loadgen.transceiver;

import io.netty.channel.EventLoop;
import threadPool.IMessageExecutor;
import threadPool.IMessageExecutorPool;
import threadPool.ITask;

/**
 * An event loop as java-Kcp wants the threads that its connections live on. What is executed on the
 * loop itself waits its turn: writes of one turn leave together.
 */
final class KcpLoop implements IMessageExecutor, IMessageExecutorPool {
  private final EventLoop loop;

  KcpLoop(EventLoop loop) {
    this.loop = loop;
  }

  @Override
  public IMessageExecutor getIMessageExecutor() {
    return this;
  }

  @Override
  public void execute(ITask task) {
    if (!loop.isShuttingDown()) { // its timer ticks on to the last
      loop.execute(task::execute);
    }
  }

  @Override
  public boolean isFull() {
    return false;
  }

  @Override
  public void stop() {
    // The loop is its owner's to stop.
  }
}
