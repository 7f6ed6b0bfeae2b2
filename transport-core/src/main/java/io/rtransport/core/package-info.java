/**
 * The RT protocol as a state machine: no I/O, no threads, no clock, no randomness of its own. Calls
 * bring packets, requests of the application and the time. They return packets, events and one
 * number, {@code nextDeadlineNs()}. docs/reference/protocol.md defines the bits on the wire.
 *
 * <p>Terms used for fields and variables everywhere:
 *
 * <dl>
 *   <dt>initiator, target
 *   <dd>the side that begins a transaction, and the side that serves it. Both sides of a connection
 *       are both. The same two words name the side that sent CONNECT and the side that answered it.
 *   <dt>transaction
 *   <dd>a push (bytes go with the request) or a pull (bytes come back). Each ends exactly once.
 *   <dt>solicited, unsolicited
 *   <dd>whether a push waits for the target's grants, or is paid for by credit and sent at once.
 *   <dt>psn
 *   <dd>packet sequence number, 32 bits, one space for each window and direction. A retransmission
 *       keeps it.
 *   <dt>base psn (bsn)
 *   <dd>the lowest PSN not yet received (receiver) or not yet acknowledged (sender). The window
 *       begins there.
 *   <dt>next psn (nsn)
 *   <dd>the PSN of the next packet sent for the first time.
 *   <dt>snb
 *   <dd>sequence number bitmap: one bit for each PSN of a receive window, set when the packet was
 *       received.
 *   <dt>request window, data window
 *   <dd>the two PSN spaces of a direction. Requests wait for memory only by not being sent, so data
 *       never waits for them.
 *   <dt>out of window (own)
 *   <dd>a packet above the receive window. It is dropped, and the sender is told.
 *   <dt>rsn
 *   <dd>request sequence number, 32 bits: names a transaction of one direction, in the order of
 *       submission.
 *   <dt>ssn
 *   <dd>solicitation sequence number, 32 bits: the order of solicited pushes among themselves.
 *       Grants follow it.
 *   <dt>grant
 *   <dd>permission to send a range of bytes of one solicited message, paid for out of the
 *       receiver's budget.
 *   <dt>credit
 *   <dd>permission to send unsolicited bytes: a cumulative limit that the receiver raises.
 *   <dt>ulp-ack
 *   <dd>the application's own acknowledgement of a message. Only it completes a push.
 *   <dt>transmission sequence
 *   <dd>24 bits, counts the numbered packets sent on one path, resends included. It defines the
 *       order on a path.
 *   <dt>path
 *   <dd>a pair of addresses between which packets of a connection travel.
 *   <dt>NI, NID
 *   <dd>network interface: a bound local UDP address on a named network; and its name, such as
 *       {@code 10.1.0.7:7400@rail0}.
 *   <dt>rail
 *   <dd>an NI and the paths over it, as one of several of equal standing.
 *   <dt>cid, cookie
 *   <dd>the id by which a receiver finds the connection of a packet, and the 64 random bits that
 *       prove that the packet belongs to it.
 *   <dt>incarnation
 *   <dd>64 random bits of an endpoint since its start. A new value means that the peer has
 *       restarted.
 *   <dt>adp
 *   <dd>the adaptive acknowledgement timer: how long to wait before resending, and when to give up.
 * </dl>
 */
package io.rtransport.core;
