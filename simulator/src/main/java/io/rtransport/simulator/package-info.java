/**
 * Simulator: hosts, a seeded network between them, virtual time, and checkers of the wire and the
 * applications.
 *
 * <p>Everything in a world follows from its seed. Each component draws from its own generator,
 * forked from the seed by name. A change in the draws of one component then leaves the others
 * unchanged. Nothing here reads a clock. {@code SimWorld} drives every kind of world, {@link
 * io.rtransport.simulator.PairHarness} is the one of two hosts; {@link
 * io.rtransport.simulator.SimMain} runs many worlds.
 */
package io.rtransport.simulator;
