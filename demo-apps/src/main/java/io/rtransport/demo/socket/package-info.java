/** On which event loops the commands run, and what an address means on this machine. */
package io.rtransport.demo.socket;
