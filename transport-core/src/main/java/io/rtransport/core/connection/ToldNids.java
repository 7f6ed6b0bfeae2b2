package io.rtransport.core.connection;

import io.rtransport.core.rail.Nid;
import io.rtransport.core.wire.TlvId;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

/**
 * NIDs of a target, as its initiators are told them: those that fit into an ACCEPT go there, and
 * the others follow as ADD_NI.
 *
 * @param inAccept text of the parameter NIDS; null: none
 * @param further the others
 */
record ToldNids(byte[] inAccept, List<Nid> further) {
  static final ToldNids NONE = new ToldNids(null, List.of());

  static ToldNids of(List<Nid> nids) {
    if (nids.isEmpty()) {
      return NONE;
    }
    StringJoiner told = new StringJoiner(",");
    List<Nid> further = new ArrayList<>();
    for (Nid nid : nids) {
      String text = nid.toString();
      if (told.length() + 1 + text.length() <= TlvId.NIDS_LENGTH_MAX) {
        told.add(text);
      } else {
        further.add(nid);
      }
    }
    return new ToldNids(told.toString().getBytes(StandardCharsets.US_ASCII), further);
  }
}
