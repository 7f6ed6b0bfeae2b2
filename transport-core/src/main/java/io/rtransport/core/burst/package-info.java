/** A run of packets, as it goes between a port and the core. */
package io.rtransport.core.burst;
