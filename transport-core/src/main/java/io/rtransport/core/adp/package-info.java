/**
 * Adaptive retransmission (ADP): how long a path waits for an acknowledgement before it resends,
 * and when it gives up.
 *
 * <p>Two source documents are cited by name: "ADP flow" (the timeout algorithm) and "ROCE_ACCL
 * layout" (the register, profile and range layouts). Words: an <i>exponent</i> {@code e} stands for
 * the time {@code time_base << e}; a <i>range</i> is a run of exponents with a retry count and a
 * way down; <i>total</i> is the time without progress at which a path gives up.
 */
package io.rtransport.core.adp;
