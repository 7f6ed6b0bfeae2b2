/**
 * What the command lines of {@code demo-apps} and {@code loadgen} share: exit statuses and the line
 * that says a failure, the clean end at Ctrl-C, kinds of sockets, files of results, and the options
 * of the retransmission profile. The two programs depend on this package and never on each other.
 */
package io.rtransport.command;
