/**
 * Results of a run: as JSON whose keys are a contract, as text, and side by side with other
 * transports.
 */
package io.rtransport.loadgen.report;
