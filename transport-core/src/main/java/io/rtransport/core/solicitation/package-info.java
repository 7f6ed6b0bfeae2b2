/**
 * When messages may come and go, and in which order: credit, grants out of the node's budget, the
 * reorder engine (CAM b), cutting messages into records and putting them together, and telling what
 * has ended (patent, Figures 5 to 12).
 */
package io.rtransport.core.solicitation;
