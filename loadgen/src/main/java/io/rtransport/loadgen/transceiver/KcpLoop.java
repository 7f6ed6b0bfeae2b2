package io.rtransport.loadgen.transceiver;

import io.netty.channel.EventLoop;
import threadPool.IMessageExecutor;
import threadPool.IMessageExecutorPool;
import threadPool.ITask;

/**
 * Event loop in the form that java-Kcp expects of its connections' threads. A task executed on the
 * loop itself waits its turn, so writes of one turn leave together.
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
    if (!loop.isShuttingDown()) { // its timer runs until the end
      loop.execute(task::execute);
    }
  }

  @Override
  public boolean isFull() {
    return false;
  }

  @Override
  public void stop() {
    // The owner stops the loop.
  }
}
