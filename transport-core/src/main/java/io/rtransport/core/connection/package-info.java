/**
 * Where the sublayers of a connection meet: the order in which they are called ({@link
 * io.rtransport.core.connection.Connection}), how they reach each other ({@link
 * io.rtransport.core.connection.Link}), set-up, silence and the end; and the endpoint, which gives
 * ids, routes datagrams and answers strangers. The only package that knows all the others, and that
 * an adapter has to know.
 */
package io.rtransport.core.connection;
