/**
 * What the long proofs have in common: JUnit's tag {@code proof}, which the default run leaves out
 * and the Maven profile {@code proof} runs, and how much of each is wanted.
 */
package io.rtransport.core.proof;
