/**
 * Adaptive retransmission (ADP): how long a path waits for an acknowledgement before it resends,
 * and when it gives up.
 *
 * <p>Two source documents are cited by name: "ADP flow" (the timeout algorithm) and "ROCE_ACCL
 * layout" (the register, profile and range layouts). Terms:
 *
 * <ul>
 *   <li>exponent {@code e}: stands for the time {@code time_base << e};
 *   <li>range: consecutive exponents with a retry count and a rule for the decrease;
 *   <li>total: the time without progress after which a path gives up.
 * </ul>
 */
package io.rtransport.core.adp;
