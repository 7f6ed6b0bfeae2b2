/** JSON for profile files, results and test vectors. Not used by the protocol itself. */
package io.rtransport.core.json;
