/** The parts of {@code rt demo}: its files, its target process, and the comparison at the end. */
package io.rtransport.demo.showcase;
