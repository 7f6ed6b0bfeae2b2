/** What RT counts, and the bounds that nothing passes. */
package io.rtransport.core.stats;
