/**
 * RT as Netty channels, and the facade on them. Packages that are not exported may change at any
 * time.
 */
module io.rtransport.netty {
  requires transitive io.rtransport.core;
  requires transitive io.netty.buffer;
  requires transitive io.netty.common;
  requires transitive io.netty.resolver;
  requires transitive io.netty.transport;
  requires io.netty.transport.classes.epoll;
  requires transitive io.netty.transport.classes.io_uring;
  requires io.netty.transport.unix.common;
  requires jdk.jfr;
  requires org.agrona;

  exports io.rtransport.netty;
  exports io.rtransport.netty.control;
  exports io.rtransport.netty.facade;
  exports io.rtransport.netty.handler;
  exports io.rtransport.netty.node;
  exports io.rtransport.netty.port;
  exports io.rtransport.netty.queue;
  exports io.rtransport.netty.trace;
}
