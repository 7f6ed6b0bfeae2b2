/**
 * The side that pushes, pulls and asks: blocking verbs over one connection, for commands that may
 * block a thread.
 */
package io.rtransport.demo.initiator;
