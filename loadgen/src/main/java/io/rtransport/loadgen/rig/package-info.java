/**
 * One run: the processes that take part, what they tell each other, the order of its phases, and
 * what each of them used.
 */
package io.rtransport.loadgen.rig;
