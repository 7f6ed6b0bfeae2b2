/**
 * One run: its processes, their communication, the order of its phases, and the resources that each
 * process used.
 */
package io.rtransport.loadgen.rig;
