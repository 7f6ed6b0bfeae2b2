/** Which sockets the commands use, and what an address means on this machine. */
package io.rtransport.demo.socket;
