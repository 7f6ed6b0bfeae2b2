package io.rtransport.core.rail;

import java.util.List;

/**
 * What was selected for a message.
 *
 * @param nextHop where it goes
 * @param places places in {@link Hop#pairs} of the pairs that its connection is to use, the best
 *     first
 */
public record NiChoice(Hop nextHop, List<Integer> places) {}
