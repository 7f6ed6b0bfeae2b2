/**
 * The places of the sublayers in a channel's pipeline, and handlers for between them: taps that see
 * packets, and faults that are injected on purpose.
 */
package io.rtransport.netty.handler;
