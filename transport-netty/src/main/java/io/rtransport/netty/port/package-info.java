/**
 * Sockets: a port sends and receives datagrams for all connections that share it. {@link
 * io.rtransport.netty.port.PortFactory} is for those who bring a socket of their own kind.
 */
package io.rtransport.netty.port;
