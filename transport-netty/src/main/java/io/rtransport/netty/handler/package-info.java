/**
 * The sublayers' places in a channel's pipeline, and handlers that stand between them: taps that
 * see packets, and deliberate faults.
 */
package io.rtransport.netty.handler;
