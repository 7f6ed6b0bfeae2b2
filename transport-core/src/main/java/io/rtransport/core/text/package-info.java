/**
 * Values as people write them: sizes, durations, bandwidths, probabilities, addresses. They stand
 * in the core because the two programs that read them ({@code demo-apps} and {@code loadgen}) may
 * not depend on each other, and because a profile or configuration file uses the same notation;
 * {@code transport-netty} has no business with text. Pure functions: nothing is resolved, read or
 * printed.
 */
package io.rtransport.core.text;
