/** Event loops of the commands, and the resolution of addresses. */
package io.rtransport.demo.socket;
