/** Files as RT's payloads and sinks, for both sides: streamed, for any length. */
package io.rtransport.demo.transfer;
