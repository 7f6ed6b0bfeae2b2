/**
 * Common parts of the command lines of {@code demo-apps} and {@code loadgen}: exit statuses and the
 * line for a failure, the clean end at Ctrl-C, kinds of sockets, result files, and the options of
 * the retransmission profile. Both programs depend on this package and never on each other.
 */
package io.rtransport.command;
