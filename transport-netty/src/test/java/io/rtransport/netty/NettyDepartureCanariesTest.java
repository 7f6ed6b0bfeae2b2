package io.rtransport.netty;

import io.rtransport.core.DepartureCanaries;

/** The canaries of docs/reference/departures.md that tests of this module catch. */
class NettyDepartureCanariesTest extends DepartureCanaries {}
