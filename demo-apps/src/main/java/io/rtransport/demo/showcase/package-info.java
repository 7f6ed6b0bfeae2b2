/** Parts of {@code rt demo}: its files, its target process, and the final comparison. */
package io.rtransport.demo.showcase;
