/**
 * Sockets: a port sends and receives datagrams for all connections that share it. {@link
 * io.rtransport.netty.port.PortFactory} is for applications with their own kind of socket.
 */
package io.rtransport.netty.port;
