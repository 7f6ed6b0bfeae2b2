/**
 * What the demo's initiator and target say to each other inside RT's transactions: an application
 * header on every request, answers to pulls, and error codes. Version 2. Whatever a peer sends is
 * either a valid value or refused; nothing here throws for it, and nothing is allocated by a number
 * that it wrote.
 */
package io.rtransport.demo.protocol;
