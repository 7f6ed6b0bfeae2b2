/**
 * The simulator: two hosts, a seeded network between them, virtual time, and checkers that watch
 * both the wire and the applications.
 *
 * <p>Everything a world does follows from its seed: each component draws from a generator of its
 * own, forked from the seed by name, so that a change in what one of them draws leaves the others
 * as they were. Nothing here reads a clock. {@link io.rtransport.simulator.PairHarness} is the
 * world, {@link io.rtransport.simulator.SimMain} runs many of them.
 */
package io.rtransport.simulator;
