/**
 * Long proofs over real sockets and real processes: JUnit's tag {@code proof}, run by the Maven
 * profile of that name (docs/reference/proofs.md).
 */
package io.rtransport.loadgen.proof;
