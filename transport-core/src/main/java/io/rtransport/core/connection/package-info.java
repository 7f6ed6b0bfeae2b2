/**
 * Set-up, liveness and end of a connection, and the order in which its sublayers are called.
 *
 * <p>{@link io.rtransport.core.connection.Connection} calls the sublayers. {@link
 * io.rtransport.core.connection.Endpoint} gives connection ids, routes datagrams and answers
 * strangers. This package alone knows all the others, and it is the only one that an adapter has to
 * know.
 */
package io.rtransport.core.connection;
