/** What {@code rt stat} shows of a node: reading its answer, and printing it. */
package io.rtransport.demo.stat;
