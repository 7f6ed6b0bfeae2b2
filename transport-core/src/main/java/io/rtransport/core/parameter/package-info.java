/**
 * The parameters of a connection: what each may be, what a side says of itself, and what both agree
 * on. Every number of them is a {@link io.rtransport.core.parameter.ConnectionParameter}.
 */
package io.rtransport.core.parameter;
