/** What the commands show to people: tables, figures with their units, a progress line. */
package io.rtransport.demo.terminal;
