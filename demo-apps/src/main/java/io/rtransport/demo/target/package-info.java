/**
 * The side that stores pushes and answers pulls: a server channel, a handler that reads requests,
 * and the disk work on its own threads.
 */
package io.rtransport.demo.target;
