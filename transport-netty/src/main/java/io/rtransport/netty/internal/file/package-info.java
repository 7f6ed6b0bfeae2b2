/**
 * Files off the event loop: the threads that read and write them, and the blocks between file and
 * packet.
 */
package io.rtransport.netty.internal.file;
