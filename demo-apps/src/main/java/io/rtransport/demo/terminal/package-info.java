/**
 * What the commands show to people and to scripts: tables, a progress line, JSON files, and a clean
 * end at Ctrl-C.
 */
package io.rtransport.demo.terminal;
