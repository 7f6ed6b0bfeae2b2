/**
 * Settings that an operator gives a node: typed options, profiles from files, and the node's
 * register over a unix socket while the node runs.
 */
package io.rtransport.netty.control;
