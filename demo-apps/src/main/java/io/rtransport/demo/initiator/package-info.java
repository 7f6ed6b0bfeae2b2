/**
 * The side that pushes, pulls and asks: blocking verbs over one connection, for commands that have
 * a thread to spend.
 */
package io.rtransport.demo.initiator;
