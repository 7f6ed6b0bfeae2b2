/** Terminal output of the commands: tables, figures with their units, a progress line. */
package io.rtransport.demo.terminal;
