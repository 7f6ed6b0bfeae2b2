package io.rtransport.core.stats;

/**
 * All counters of RT, each with the sentence that an operator reads. They are counted for each
 * connection and summed for each event loop. The first ones are those that an established, silent
 * connection counts: it keeps no others ({@link Counters}).
 */
public enum CounterId {
  // Packets
  DATAGRAMS_SENT("Packets handed to the socket."),
  DATAGRAMS_RECEIVED("Packets that reached the door of a connection or of the endpoint."),
  PACKETS_NUMBERED_SENT("Numbered packets sent for the first time."),
  PACKETS_NUMBERED_RECEIVED("Numbered packets accepted by a receive window."),
  ACKS_SENT("ACK packets sent; acknowledgements that rode in numbered packets do not count."),
  ACKS_RECEIVED("ACK packets received."),
  PINGS_SENT(
      "PINGs sent: keepalive, liveness or a question for credit. Probes of the path MTU are counted apart."),
  UNREACHABLE_HINTS(
      "Times the network said of an established connection that nothing listens at the peer's address."),
  PONGS_RECEIVED("PONGs that answered one of our PINGs."),

  // Set-up and end
  CONNECTS_SENT("CONNECTs sent, repeats included."),
  CONNECTS_RECEIVED("CONNECTs received."),
  RETRIES_SENT("RETRYs sent: a token was demanded."),
  REJECTS_SENT("Connections refused."),
  VERSION_NEGOTIATIONS_SENT("CONNECTs of another version that were told ours."),
  HALF_OPENS_REFUSED(
      "CONNECTs dropped: too many half-open handshakes, altogether or of one network prefix, or one"
          + " handshake from too many addresses."),
  RESETS_SENT("RESETs sent for unknown connection ids."),
  RESETS_RECEIVED("RESETs with the right cookie."),
  CONNECTIONS_ESTABLISHED("Connections that were set up."),
  CLOSES_REFUSED("CLOSEs with a final PSN that cannot be: each ended its connection."),
  CONNECTIONS_CLOSED("Connections that ended, for whatever reason."),
  HALF_OPEN_EXPIRED("Connections never confirmed by their initiator."),

  // Refused at the door
  DROP_TRUNCATED("Dropped: shorter than its own length field or than its type's smallest packet."),
  DROP_OVERLONG("Dropped: longer than its own length field or its type's largest packet."),
  DROP_VERSION("Dropped: not a version that we speak."),
  DROP_TYPE("Dropped: unknown packet type."),
  DROP_FLAGS("Dropped: a reserved flag or field was not zero."),
  DROP_INTEGRITY("Dropped: the checksum does not match."),
  DROP_CID("Dropped: no connection has this connection id."),
  DROP_COOKIE("Dropped: the cookie is not the one that we gave."),
  DROP_RECORD_LENGTH(
      "Dropped: a record is shorter than its smallest form or passes the end of its packet."),
  DROP_RECORD_TYPE("Dropped: unknown record type, or one of the other window."),
  DROP_RECORD_COUNT("Dropped: the record count is not the number of records."),
  DROP_RECORD_FIELD(
      "Dropped: a record contradicts itself, such as a range that passes its message's end."),
  DROP_ACK_BODY("Dropped: an acknowledgement's counts pass the end of its packet or their limits."),
  DROP_TLV("Dropped: a parameter list is malformed."),
  DROP_BODY("Dropped: a count or field of an unnumbered packet does not fit it."),
  DROP_STATE("Dropped: a well-formed packet that makes no sense in the connection's state."),
  DROP_SOURCE(
      "Dropped: for a connection, from an address that is not the peer's, and not valid for it."),
  DROP_RATE("Dropped: beyond the rate at which packets of this kind are answered."),

  // Between event loops
  HANDED_OVER(
      "Packets that came in on another event loop than their connection's, and were given to that."),
  HAND_OVERS_DROPPED(
      "Dropped: such packets, because that loop's queue was full, it has ended, or for want of memory."),

  // Windows
  DUPLICATES_RECEIVED("Numbered packets received again and dropped."),
  OUT_OF_WINDOW_RECEIVED(
      "Numbered packets above the receive window, dropped; the sender is told by the OWN bit."),
  OUT_OF_WINDOW_REPORTED(
      "Acknowledgements whose OWN bit says that the peer dropped such a packet of ours."),
  ACK_STALE("Acknowledgements older than one already taken, ignored."),
  ACK_OF_UNSENT("Acknowledgements of packets never sent; the third ends the connection."),
  RETRANSMITS_EARLY("Packets resent because later ones were acknowledged."),
  RETRANSMITS_PROBE("Tail probes."),
  RETRANSMITS_TIMEOUT("Packets resent because the ADP timer expired."),
  RETRANSMITS_MOVED("Packets resent on another path because theirs became suspect."),
  PATHS_SUSPECTED("Paths that took no more packets because only others were answered."),
  PATHS_RETURNED("Suspect paths that answered and took packets again."),
  RETRANSMITS_SPURIOUS("Resends that turned out not to have been needed."),
  TIMEOUTS("Expiries of the ADP timer."),
  TIMEOUTS_SPURIOUS(
      "Those, or rows of them, after which the acknowledgements came that had only been late."),
  PROBES_PUT_OFF(
      "Tail probes that waited, because their event loop had spent its share of needless ones."),
  TIMERS_PUT_OFF(
      "Times that a connection's timers waited for packets that lay unread at its socket."),
  CONTROL_DROPPED(
      "Unnumbered packets of this side that were not sent, because too many were due at once."),
  STORE_FULL("Times the retransmission store had no room: back-pressure, nothing lost."),

  MTU_PROBES_SENT("Padded PINGs sent to see whether longer datagrams pass."),
  MTU_PROBES_ANSWERED("Of these, those that were answered: longer packets are sent from then on."),
  MTU_PROBES_LOST("Of these, those that were not answered in time; no loss in any other sense."),
  MTU_BLACK_HOLES("Times a path turned out to carry shorter datagrams only than it was taken to."),
  PACKETS_SHORTENED(
      "Packets made to fit a narrower path, or to see whether it is one: what no longer fits goes into new packets."),

  PACED(
      "Times a sender waited for its time: its window was below one packet, or a burst on a long path was cut."),

  // Solicitation and transactions
  FLUSHES_HELD("Times that messages began to wait for others to share a packet (flush window)."),
  COMPLETIONS_HELD("Times that completions for which nobody waits were held back for a packet."),
  COMPLETIONS_RIDDEN("Times that held completions left with something else."),
  CREDIT_STALLS("Times a sender waited for unsolicited credit."),
  CREDIT_IGNORED("Credit limits beyond what was agreed, ignored."),
  COMPLETED_IGNORED("Completions outside the range that makes sense, ignored."),
  REQUESTS_SOLICITED("Push requests that asked for grants."),
  GRANTS_SENT("Grants given."),
  GRANTS_PARTIAL("Grants for less than the whole message."),
  GRANTS_RECEIVED("Grants received."),
  GRANTS_IGNORED("Grants that match no transaction or pass its end, ignored."),
  GRANTS_STALLED("Times that grants brought too little and stopped counting."),
  RECORDS_IGNORED("Records for transactions that had ended, ignored."),
  TRANSACTIONS_COMPLETED("Own transactions that completed."),
  TRANSACTIONS_FAILED("Own transactions that ended in error or unknown."),
  TRANSACTIONS_CANCELLED(
      "Own transactions that the application gave up before their end was known."),
  DEADLINES_EXCEEDED("Own transactions that were given up because their deadline came."),
  TRANSACTIONS_CANCELLED_BY_PEER(
      "Peer's transactions that ended here because the peer gave them up."),
  REQUESTS_DELIVERED("Peer's transactions handed to the application."),
  MESSAGE_BYTES_SENT("Payload bytes of messages, packetised."),
  MESSAGE_BYTES_RECEIVED("Payload bytes of messages, received."),

  // Paths
  PATH_CHALLENGES_SENT(
      "PATH_CHALLENGEs sent to addresses that a peer may have moved to or that a path is opened to."),
  PATH_CHALLENGES_RECEIVED("PATH_CHALLENGEs of the peer, each answered by PATH_RESPONSE."),
  PATH_RESPONSES_REFUSED(
      "PATH_RESPONSEs that answer no challenge of ours, from another address than its, or that name"
          + " no path although the peer knows rails."),
  PATH_CANDIDATES_REFUSED(
      "Packets from yet another address while as many as allowed are being challenged."),
  PATH_CANDIDATES_EXPIRED("Addresses that were challenged and never answered."),
  PATHS_MOVED("Times that a peer was found at another address, and the connection followed."),
  PORTS_CHANGED(
      "Source ports that a client took anew, or went back to, because nothing seemed to get through."),
  PATHS_OPENED("Paths opened beside the path of the handshake."),
  PATHS_CLOSED("Paths closed while their connection went on over others."),
  NIDS_REFUSED("NIDs that a peer told and that are not usable, or more than are kept; skipped."),
  PATHS_REFUSED("Paths not opened: as many as allowed are open, or all path ids were used."),

  // Errors of handlers
  CHILDREN_REFUSED(
      "Connections ended because the server channel's handlers did not register their channel,"
          + " or the server channel closed before it had read them."),
  TURNS_CUT_OFF(
      "Connections ended because they had something due again and again in one turn of their loop."),
  CALLS_BLOCKED(
      "Calls of an application's payload or sink that held the event loop up for more than 20 ms.");

  private final String sentence;

  CounterId(String sentence) {
    this.sentence = sentence;
  }

  /** Returns what the counter counts, for people. */
  public String sentence() {
    return sentence;
  }
}
