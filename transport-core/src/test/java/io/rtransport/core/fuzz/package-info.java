/**
 * Fuzzing: what every target shares. A target is a class whose name ends in {@code Fuzz}, in the
 * package of what it tests, with a method {@code public static void fuzzerTestOneInput(byte[])}
 * that throws when its oracle does not agree. Its corpus stands in {@code src/test/resources/fuzz},
 * an input a line in hexadecimal digits; the tests replay it, {@code .ci/fuzz} lets Jazzer go on
 * from there.
 */
package io.rtransport.core.fuzz;
