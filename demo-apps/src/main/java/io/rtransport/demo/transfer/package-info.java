/** Files as RT's payloads and sinks, for both sides: streamed, whatever their length. */
package io.rtransport.demo.transfer;
