/**
 * Parameters of a connection: their valid values, the offer of a side, and the agreement of both
 * sides. Every number is a {@link io.rtransport.core.parameter.ConnectionParameter}.
 */
package io.rtransport.core.parameter;
