/**
 * The second door to the same engine: RT with futures and callbacks, for applications that have no
 * pipeline of their own. It stands on the channels of {@code io.rtransport.netty} and adds nothing
 * to the protocol.
 *
 * <p>Threads: every public method may be called on any thread, none blocks but {@link
 * io.rtransport.netty.facade.RtEndpoint#close}. Futures complete, and callbacks run, on the
 * connection's event loop: what takes long there holds up every connection of that loop, so hand it
 * to a thread of your own ({@code thenAcceptAsync}, an executor) and answer from there. Waiting for
 * a future on an event loop fails at once with Netty's {@code BlockingOperationException}, since it
 * could wait for ever.
 */
package io.rtransport.netty.facade;
