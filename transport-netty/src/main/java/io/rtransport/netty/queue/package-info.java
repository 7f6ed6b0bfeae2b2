/**
 * The third way to use RT, beside channels and the facade: a thread of the application posts
 * transactions, and polls what became of them and what peers sent. It is woken only if it has
 * stopped polling.
 *
 * <p>{@link io.rtransport.netty.queue.RtQueues} is one such consumer. Event loops do the
 * transport's work; between them and the consumer there are rings, without locks and without
 * objects per message. Who decides when the consumer is woken is {@code io.rtransport.core.queue},
 * after the document "InfiniBand Host Channel Adapter Interrupt Timers and Summaries" (IP.com
 * IPCOM000126453D, 2005).
 */
package io.rtransport.netty.queue;
