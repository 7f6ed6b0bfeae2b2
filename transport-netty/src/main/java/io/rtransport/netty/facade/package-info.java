/**
 * RT with futures and callbacks, for applications that have no pipeline of their own. The facade
 * stands on the channels of {@code io.rtransport.netty} and adds nothing to the protocol.
 *
 * <p>Threads: every public method may be called on any thread, and only {@link
 * io.rtransport.netty.facade.RtEndpoint#close} blocks. Futures complete, and callbacks run, on the
 * connection's event loop. Work that takes long there holds up every connection of that loop. Hand
 * it to a thread of your own ({@code thenAcceptAsync}, an executor) and answer from there. A wait
 * for a future on an event loop fails at once with Netty's {@code BlockingOperationException},
 * because it could last for ever.
 */
package io.rtransport.netty.facade;
