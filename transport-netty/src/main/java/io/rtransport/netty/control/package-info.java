/**
 * What an operator says to a node: settings as they are typed, profiles from files, and the node's
 * register over a unix socket while it runs.
 */
package io.rtransport.netty.control;
