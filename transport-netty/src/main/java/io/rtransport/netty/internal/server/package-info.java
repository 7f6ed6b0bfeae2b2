/** Sockets of a server channel: one on each event loop, and at a wildcard one for each address. */
package io.rtransport.netty.internal.server;
