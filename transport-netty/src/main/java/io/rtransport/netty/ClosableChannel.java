package io.rtransport.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.netty.port.RtPort;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.Executor;

/**
 * Decides how an {@link RtChannel} ends: by a close of its application, by the end of its
 * connection, by a failed write of a bare buffer, or because no handler has registered it. A close
 * takes nothing more and leaves the flushed writes to the link, which drains them.
 */
abstract class ClosableChannel extends HalfClosableChannel implements DrivenChannel {
  private Linger linger; // once a close waits for the drain
  private int closeCode = CloseCode.NORMAL.code();
  private String closeText = "";
  private boolean isStopped;
  private boolean isRefused;
  private volatile boolean isClosed;
  private volatile CloseReason closeReason;

  ClosableChannel(Channel parent) {
    super(parent);
  }

  /** Returns the attempt to connect. Null before it, and once the channel is connected. */
  abstract ConnectAttempt connecting();

  /** Returns the port that the channel's packets leave by; null before there is one. */
  abstract RtPort port();

  /** Makes {@link #isActive} false. */
  abstract void deactivate();

  /**
   * Returns whether a call of its unsafe's close is under way, which ends at {@link #onCloseDone}.
   */
  abstract boolean isInClose();

  boolean isConnecting() {
    return connecting() != null && connecting().isPending();
  }

  @Override
  public final boolean isOpen() {
    return !isClosed;
  }

  @Override
  public final CloseReason closeReason() {
    return closeReason;
  }

  /** Returns whether the close has begun: flushed writes drain, the others have failed or will. */
  final boolean isStopped() {
    return isStopped;
  }

  ClosedChannelException closedException() {
    return ConnectionLostException.closed(closeReason);
  }

  // ---- ends that the application asks for

  @Override
  public ChannelFuture close(int code, String text) {
    if (code >= 0 && code < CloseCode.APPLICATION_CODE_MIN) {
      throw new IllegalArgumentException(
          "code=" + code + ", valid: from " + CloseCode.APPLICATION_CODE_MIN);
    }
    ChannelPromise promise = newPromise();
    onLoop(
        () -> {
          closeCode = code;
          closeText = text;
          close(promise);
        });
    return promise;
  }

  /**
   * Returns what runs the close itself: once all is drained if SO_LINGER is above 0, at most that
   * many seconds later. Null: the close runs at once.
   */
  final Executor lingering() {
    int lingerSeconds = config().getSoLinger();
    if (lingerSeconds <= 0 || !isActive() || isStopped || link().connection().isEnded()) {
      return null;
    }
    return close -> {
      linger = new Linger();
      linger.begin(close, eventLoop(), lingerSeconds);
      stop();
    };
  }

  @Override
  protected void doDisconnect() {
    doClose();
  }

  @Override
  protected void doClose() {
    isClosed = true;
    deactivate();
    writability().end();
    stop();
  }

  /** Ends a close, except its events. */
  final void onCloseDone() {
    if (isStopped) {
      failUnsent();
    }
  }

  /** Takes nothing more, and leaves the flushed writes to the link. Acts once. */
  private void stop() {
    if (isStopped) {
      return;
    }
    isStopped = true;
    endOutput();
    reading().close();
    if (!isInClose()) {
      failUnsent();
    }
    if (link() != null) {
      link().close(closeCode, closeText, isRefused || config().getSoLinger() == 0);
    } else if (port() != null) {
      port().release();
    }
    if (connecting() != null) {
      connecting().fail(new ClosedChannelException());
    }
  }

  /**
   * Fails the writes that cannot leave. The link drains flushed ones; without a link nothing
   * drains.
   */
  private void failUnsent() {
    if (link() == null) {
      writes().failQueued(new ClosedChannelException());
    } else {
      writes().failUnflushed(new ClosedChannelException());
    }
  }

  // ---- ends that the link tells of

  @Override
  public void onPlainFailure(RtException failure, boolean isTold) {
    endOutput();
    writes().failQueued(closedException());
    if (!isClosed) {
      if (!isTold) {
        pipeline().fireExceptionCaught(failure);
      }
      unsafe().close(unsafe().voidPromise());
    }
  }

  @Override
  public void onConnectionClosed(CloseReason reason) {
    if (isConnecting() && connecting().goesOn(reason)) {
      return;
    }
    closeReason = reason;
    endOutput(); // writes that its last events cause could never leave
    writes().failQueued(closedException());
    if (linger != null && linger.isWaiting()) {
      linger.end();
      return;
    }
    if (isClosed) {
      return;
    }
    if (isConnecting()) {
      connecting().fail(reason);
    } else if (isActive() && isRegistered() && ConnectionLostException.isLoss(reason)) {
      pipeline().fireExceptionCaught(new ConnectionLostException(reason));
    }
    unsafe().close(unsafe().voidPromise());
  }

  @Override
  public void refuse(String why) {
    isRefused = true;
    closeCode = CloseCode.REJECTED.code();
    closeText = why;
    unsafe().close(unsafe().voidPromise());
  }
}
