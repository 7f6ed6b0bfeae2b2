/** JSON for profile files, results and test vectors. The protocol itself does not use it. */
package io.rtransport.core.json;
