/**
 * Decides when messages may come and go, and in which order (patent, Figures 5 to 12). Its parts
 * are credit, grants out of the node's budget, and the reorder engine (CAM b). It also cuts
 * messages into records, puts them together again, and tells the peer what has ended.
 */
package io.rtransport.core.solicitation;
