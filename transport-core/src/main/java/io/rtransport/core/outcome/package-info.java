/**
 * How things ended: a transaction, a connection, a message of a node, a send on one interface. No
 * type of this package knows another package, so all of RT and its users may speak of an end.
 */
package io.rtransport.core.outcome;
