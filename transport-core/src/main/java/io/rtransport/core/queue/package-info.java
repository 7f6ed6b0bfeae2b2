/**
 * Completion and event queues: what an event loop tells an application's thread that polls.
 *
 * <p>The words are those of the source document, "InfiniBand Host Channel Adapter Interrupt Timers
 * and Summaries" (IP.com IPCOM000126453D, 2005). Its adapter is our event loop, and its driver is
 * the application's thread, the consumer. Its interrupt is a wake-up of that thread.
 *
 * <ul>
 *   <li>CQ, {@link io.rtransport.core.queue.CompletionQueue}: the ends of transactions.
 *   <li>EQ, {@link io.rtransport.core.queue.EventQueue}: which CQs have something new. There is one
 *       for each event loop and consumer. EQE: an entry of it.
 *   <li>EQ Pending bit: this CQ has an EQE. CEC, completion event counter: how many such bits are
 *       set.
 *   <li>{@link io.rtransport.core.queue.EventQueueContext}: decides whether an event is an
 *       interrupt.
 *   <li>{@link io.rtransport.core.queue.ModerationTuner}: chooses the delay, if asked to.
 *   <li>{@link io.rtransport.core.queue.SummaryBytes}: which EQs are worth a look.
 *   <li>{@link io.rtransport.core.queue.EventConsumer}: polls, arms and waits.
 *   <li>{@link io.rtransport.core.queue.SubmissionRing}: what the application posts. {@link
 *       io.rtransport.core.queue.CancelSet}: what of it is given up.
 * </ul>
 *
 * <p>The room starts no thread and reads no clock. Two threads meet here, and each method says
 * whose it is.
 */
package io.rtransport.core.queue;
