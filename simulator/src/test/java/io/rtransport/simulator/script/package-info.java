/**
 * Scripts: a connection of ours on virtual time against a peer whose packets a text file writes and
 * reads, one by one. Each proves a rule of one of our sources, and says which.
 *
 * <p>{@link Script} is the file, {@link Layout} the wire format as a table of its own (the
 * product's flyweights are what is tested), {@link PacketText} a packet in a script, {@link
 * ScriptWorld} our endpoint with its application, {@link ScriptRunner} does the lines. The language
 * is described in docs/reference/simulator.md.
 */
package io.rtransport.simulator.script;
