/**
 * The sliding-window sublayer. Numbered packets are sent, acknowledged or resent until they are,
 * and handed up exactly once.
 *
 * <p>Terms: a <i>PSN</i> numbers a packet of a window. <i>BSN</i> is the lowest PSN not
 * acknowledged (sender) or not received (receiver). <i>NSN</i> is the next PSN to use. The
 * <i>SNB</i> is the bitmap over them. <i>OWN</i> says that a packet was above the receive window. A
 * <i>transmission sequence</i> numbers the transmissions on one path, including resends. An
 * <i>early</i> resend follows from the acknowledgements of later packets. A <i>probe</i> follows
 * from silence at the end of a flight. A <i>timeout</i> is a resend by the ADP timer.
 */
package io.rtransport.core.window;
