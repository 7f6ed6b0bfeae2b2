/**
 * Protocol of the demo's initiator and target inside RT's transactions: an application header on
 * every request, answers to pulls, and error codes. Version 2. A value from a peer is either valid
 * or refused. Nothing here throws because of it, and no number from a peer decides an allocation.
 */
package io.rtransport.demo.protocol;
