/**
 * Values as people write them: sizes, durations, bandwidths, probabilities, addresses. They are in
 * the core because profile files use the same notation as the two command lines ({@code demo-apps}
 * and {@code loadgen}). Pure functions: nothing is resolved, read or printed.
 */
package io.rtransport.core.text;
