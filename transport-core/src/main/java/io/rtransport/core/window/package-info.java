/**
 * The sliding-window sublayer: numbered packets leave, are acknowledged, resent until they are, and
 * handed up exactly once.
 *
 * <p>Words: a <i>PSN</i> numbers a packet of a window; <i>BSN</i> is the lowest not acknowledged
 * (sender) or not received (receiver), <i>NSN</i> the next to be used; the <i>SNB</i> is the bitmap
 * over them. <i>OWN</i> says that a packet was above the receive window. A <i>transmission
 * sequence</i> numbers what was sent on one path, resends included. An <i>early</i> resend follows
 * from later packets' acknowledgements, a <i>probe</i> from silence at the end of a flight, a
 * <i>timeout</i> from the ADP timer.
 */
package io.rtransport.core.window;
