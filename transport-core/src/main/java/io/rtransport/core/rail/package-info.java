/**
 * Rails: the networks over which a node reaches its peers, and the names of their interfaces.
 *
 * <p>An NI is a UDP socket of a node, bound to an address on a network. A NID is its name. {@link
 * io.rtransport.core.rail.NiSelection} decides by which next hop and pairs of NIs a node connects.
 */
package io.rtransport.core.rail;
